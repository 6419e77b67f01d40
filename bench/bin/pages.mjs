#!/usr/bin/env node
// Measures how fast the sign-in page and the console appear on a slow phone: Chromium with a throttled processor and
// network, on the demo data. Fails if a page exceeds a budget. See `npm run bench:pages -- --help`.
import { parseArgs } from 'node:util'
import { openBrowser } from '../pages/browser.mjs'
import { measureThrottling } from '../pages/calibration.mjs'
import { startDemo } from '../pages/demo.mjs'
import { measurePage } from '../pages/measure.mjs'
import { BUDGETS, PAGES, TOLERANCE } from '../pages/pages.mjs'

const HELP = `npm run bench:pages -- [--runs 3] [--times]

Prints the largest contentful paint, the total blocking time and the number of requests of each page, as the best of
several runs with an empty cache. Exits with 1 if a page needs more requests or kilobytes than its budget. With --times,
which needs a quiet machine, also if a time is more than ${TOLERANCE} times its budget.`

/** They do not depend on the speed of the machine, so they have no tolerance. */
const SIZES = ['requests', 'kilobytes']

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    times: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  },
})
const log = (line) => process.stdout.write(`${line}\n`)

if (values.help) log(HELP)
else process.exitCode = await run(Number(values.runs), values.times)

async function run(runs, failsOnTimes) {
  const demo = await startDemo()
  const browser = await openBrowser()
  try {
    const problems = []
    for (const page of PAGES) {
      const throttling = await measureThrottling(browser)
      const result = await bestOf(runs, () => measurePage(browser, demo.url, page, throttling))
      const exceeded = findExceeded(result, page, throttling.budgetFactor)
      log(describe(page, result, exceeded))
      log(describeThrottling(throttling))
      problems.push(...exceeded.filter((name) => failsOnTimes || SIZES.includes(name)))
    }
    return problems.length > 0 ? 1 : 0
  } finally {
    await browser.close()
    await demo.stop()
  }
}

function describeThrottling({ workloadMs, cpuRate, budgetFactor }) {
  const slowed = `  The fixed workload took ${workloadMs} ms, so the processor was slowed ${cpuRate} times.`
  return budgetFactor > 1 ? `${slowed} It is too slow for that: times may be ${budgetFactor} times longer.` : slowed
}

/** The smallest value of each kind, because other programs of the machine can only make a page slower. */
async function bestOf(runs, measure) {
  const results = []
  for (let run = 0; run < runs; run++) results.push(await measure())
  const smallest = (name) => Math.min(...results.map((result) => result[name]))
  return Object.fromEntries(Object.keys(results[0]).map((name) => [name, smallest(name)]))
}

function findExceeded(result, page, budgetFactor) {
  return Object.entries(BUDGETS[page.kind])
    .filter(([name, budget]) => result[name] > (SIZES.includes(name) ? budget : budget * TOLERANCE * budgetFactor))
    .map(([name]) => name)
}

function describe(page, result, exceeded) {
  const budgets = BUDGETS[page.kind]
  const units = { lcp: ' ms', blocking: ' ms', requests: '', kilobytes: ' kB' }
  const parts = Object.entries(result).map(([name, value]) => {
    const budget = budgets[name] === undefined ? '' : ` (budget ${budgets[name]})`
    return `${name} ${Math.round(value)}${units[name]}${budget}${exceeded.includes(name) ? ' TOO MUCH' : ''}`
  })
  return `${page.name.padEnd(22)} ${parts.join(' · ')}`
}
