#!/usr/bin/env node
// Runs the SDKs and other software against the real program. Started by `npm run interop`.
import { existsSync, readdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createExampleSuite, listExamples } from './examples.mjs'
import { makeFolder, removeFolder } from './folder.mjs'
import { startProgram } from './program.mjs'

const { values: options } = parseArgs({ options: { only: { type: 'string', multiple: true } } })

/**
 * A suite is a folder with a `suite.mjs`, or an example in JavaScript (examples.mjs). It has:
 *   name                          what the table shows
 *   findMissing({ folder })       a sentence that says what this machine lacks, or undefined
 *   run({ url, folder })          throws an error if a test fails
 * `folder` is a scratch folder of the suite, and `url` the address of Latchkey in test mode (docs/test-mode.md). Suites
 * run one after the other. Each begins with the data of the demo, because the program is reset before it.
 */
const loaders = {
  ...Object.fromEntries(
    readdirSync(import.meta.dirname)
      .filter((name) => existsSync(join(import.meta.dirname, name, 'suite.mjs')))
      .map((name) => [name, () => import(`./${name}/suite.mjs`)]),
  ),
  ...Object.fromEntries(listExamples().map((name) => [`example-${name}`, () => createExampleSuite(name)])),
}
const known = Object.keys(loaders).sort()
const unknown = options.only?.find((name) => !known.includes(name))
if (unknown !== undefined) {
  console.error(`There is no suite ${unknown}. The suites are: ${known.join(', ')}.`)
  process.exit(1)
}
const names = options.only ?? known

const scratch = makeFolder()
const results = []
let program
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    await cleanUp()
    process.exit(1)
  })
try {
  for (const suiteName of names) {
    const suite = await loaders[suiteName]()
    const folder = join(scratch, suiteName)
    await mkdir(folder)
    results.push(await runSuite(suite, folder))
  }
} finally {
  await cleanUp()
}

console.log('\n| Suite | Result | Seconds |\n| --- | --- | --- |')
for (const { name, result, seconds } of results) console.log(`| ${name} | ${result} | ${seconds} |`)
process.exitCode = results.some(({ result }) => result === 'failed') ? 1 : 0

async function cleanUp() {
  await program?.stop()
  removeFolder(scratch)
}

async function runSuite(suite, folder) {
  const start = performance.now()
  const end = (result) => ({ name: suite.name, result, seconds: Math.round((performance.now() - start) / 1000) })
  console.log(`\n# ${suite.name}`)
  try {
    const missing = await suite.findMissing({ folder })
    if (missing !== undefined) {
      console.log(`Skipped: ${missing}`)
      return end('skipped')
    }
    program ??= await startProgram()
    await program.reset()
    await suite.run({ url: program.url, folder })
    return end('passed')
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return end('failed')
  }
}
