import { compareRows } from './compare.ts'
import { isOverLimit, listStart, showBulkheads, showGrowth, showStart } from './limit-tables.ts'
import { METHOD } from './method.ts'
import type { About, Results } from './results.ts'
import { showDrift, showRows, showTwoProcesses, showVerdicts } from './row-tables.ts'

/** Writes the results as a Markdown page. Keeps the handwritten part of the previous page. */
export function writePage(results: Results, previous = ''): string {
  const { about, rows, twoProcesses, start, memory, growth, bulkheads } = results
  const verdicts = compareRows(rows)
  const sections = [
    `# Benchmarks\n\n${describe(about)}`,
    keepHandwritten(previous),
    section('Targets', showVerdicts(verdicts.filter(({ met }) => met !== undefined))),
    section('All rows', showRows(rows)),
    section('Beside others', showVerdicts(verdicts.filter(({ met }) => met === undefined))),
    section('Two processes', showTwoProcesses(rows, twoProcesses)),
    section('Start and memory', showStart(start, memory)),
    section('Growth', growth && showGrowth(growth)),
    section('Bulkheads', bulkheads && showBulkheads(bulkheads)),
    section('Drift', showDrift(rows)),
    section('How it is measured', METHOD),
  ]
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`
}

/** All missed targets: of rows, start, growth and bulkheads. */
export const listMissed = (results: Results): string[] => [
  ...compareRows(results.rows)
    .filter(({ met }) => met === false)
    .map(({ name, against }) => `${name} against ${against}`),
  ...listStart(results.start, results.memory)
    .filter(({ met }) => met === false)
    .map(({ name }) => name),
  ...(results.growth?.rows ?? [])
    .filter((row) => row.maxRatio !== undefined && (row.ratios.at(-1) ?? 0) > row.maxRatio)
    .map(({ name }) => `Growth: ${name}`),
  ...(results.bulkheads?.rows ?? [])
    .filter((row) => isOverLimit(row, results.bulkheads?.maxP99Ms ?? 0))
    .map(({ name }) => `Bulkheads: ${name}`),
]

const section = (title: string, text: string | undefined): string => (text ? `## ${title}\n\n${text}` : '')

const HANDWRITTEN_START = '<!-- by hand -->'
const HANDWRITTEN_END = '<!-- /by hand -->'

function keepHandwritten(previous: string): string {
  const start = previous.indexOf(HANDWRITTEN_START)
  const end = previous.indexOf(HANDWRITTEN_END, start)
  if (start < 0 || end < 0) return `${HANDWRITTEN_START}\n${HANDWRITTEN_END}`
  return previous.slice(start, end + HANDWRITTEN_END.length)
}

/** A higher load average before the start means that other work disturbs the measurement. */
export const MAX_QUIET_LOAD = 0.5

const describe = (about: About): string =>
  [
    'Written by `npm run bench`.',
    `${about.date}, Node ${about.node}, PostgreSQL ${about.postgres}, ${about.cores} cores (${about.processor}),`,
    `${about.memoryGb} GB, ${about.system}. ${about.rounds} ${about.rounds === 1 ? 'round' : 'rounds'} of`,
    `${about.ms / 1000} s for each row, ${about.connections} connections; ${about.minutes} minutes in all.`,
    'The load generator, the measured program and the database share the cores.',
    `A single signature takes ${about.units.signatureMs.toFixed(2)} ms here,`,
    `and a synchronous disk write ${about.units.syncMs.toFixed(2)} ms.`,
    ...(about.loadBefore > MAX_QUIET_LOAD
      ? [`**The machine was busy with other work: its load was ${about.loadBefore.toFixed(1)} before the start.**`]
      : []),
  ].join(' ')
