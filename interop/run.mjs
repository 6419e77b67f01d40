#!/usr/bin/env node
// Runs the SDKs and other software against the real program. Started by `npm run interop`.
import { existsSync, readdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createExampleSuite, listExamples } from './examples.mjs'
import { makeFolder, removeFolder } from './folder.mjs'
import { startDemo, startTestMode } from './program.mjs'

const { values: options } = parseArgs({ options: { only: { type: 'string', multiple: true } } })

/**
 * A suite is a folder with a `suite.mjs`, an example in JavaScript (examples.mjs), or a file of `recipes/`, which tries
 * a page of docs/recipes. It has:
 *   name                               what the table shows
 *   findMissing({ folder })            a sentence that says what this machine lacks, or undefined
 *   run({ url, folder, dataFolder })   throws an error if a test fails
 * `folder` is a scratch folder of the suite, and `url` the address of Latchkey in test mode (docs/test-mode.md). Suites
 * run one after the other. Each begins with the data of the demo, because the program is reset before it.
 *
 * The pages of docs/recipes contain commands of Latchkey, which test mode does not support. They are tried with the plain
 * demo, whose data is in `dataFolder`, and undo their changes.
 */
const list = (folder) => readdirSync(join(import.meta.dirname, folder))
const loaders = {
  ...Object.fromEntries(
    list('.')
      .filter((name) => existsSync(join(import.meta.dirname, name, 'suite.mjs')))
      .map((name) => [name, () => import(`./${name}/suite.mjs`)]),
  ),
  ...Object.fromEntries(listExamples().map((name) => [`example-${name}`, () => createExampleSuite(name)])),
  ...Object.fromEntries(list('recipes').map((file) => [toName(file), () => import(`./recipes/${file}`)])),
}
const known = Object.keys(loaders).sort()
const isSelected = (name, only) => name === only || name.startsWith(`${only}/`)
const unknown = options.only?.find((only) => !known.some((name) => isSelected(name, only)))
if (unknown !== undefined) {
  console.error(`There is no suite ${unknown}. The suites are: ${known.join(', ')}.`)
  process.exit(1)
}
const names = known.filter((name) => options.only?.some((only) => isSelected(name, only)) ?? true)

const scratch = makeFolder()
const results = []
let testMode
let demo
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    await cleanUp()
    process.exit(1)
  })
try {
  for (const suiteName of names) {
    const suite = await loaders[suiteName]()
    const folder = join(scratch, suiteName)
    await mkdir(folder, { recursive: true })
    results.push(await runSuite(suite, { folder, start: isRecipe(suiteName) ? useDemo : useTestMode }))
  }
} finally {
  await cleanUp()
}

console.log('\n| Suite | Result | Seconds |\n| --- | --- | --- |')
for (const { name, result, seconds } of results) console.log(`| ${name} | ${result} | ${seconds} |`)
process.exitCode = results.some(({ result }) => result === 'failed') ? 1 : 0

async function cleanUp() {
  await Promise.all([testMode?.stop(), demo?.stop()])
  removeFolder(scratch)
}

function toName(file) {
  return `recipes/${file.replace(/\.mjs$/, '')}`
}

function isRecipe(name) {
  return name.startsWith('recipes/')
}

async function useTestMode() {
  testMode ??= await startTestMode()
  await testMode.reset()
  return { url: testMode.url }
}

async function useDemo() {
  demo ??= await startDemo(join(scratch, 'latchkey'))
  return { url: demo.url, dataFolder: demo.dataFolder }
}

async function runSuite(suite, { folder, start }) {
  const startedAt = performance.now()
  const end = (result) => ({ name: suite.name, result, seconds: Math.round((performance.now() - startedAt) / 1000) })
  console.log(`\n# ${suite.name}`)
  try {
    const missing = await suite.findMissing({ folder })
    if (missing !== undefined) {
      console.log(`Skipped: ${missing}`)
      return end('skipped')
    }
    await suite.run({ ...(await start()), folder })
    return end('passed')
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return end('failed')
  }
}
