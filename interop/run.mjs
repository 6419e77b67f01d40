#!/usr/bin/env node
// Runs the SDKs and other software against the real program. Started by `npm run interop`.
import { readdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeFolder, removeFolder } from './folder.mjs'
import { startProgram } from './program.mjs'

const { values: options } = parseArgs({ options: { only: { type: 'string' } } })

/**
 * A suite is a file `<folder>/suite.mjs`, or `recipes/<page of docs/recipes>.mjs`, which exports:
 *   name                               what the table shows
 *   findMissing({ folder })            a sentence that says what this machine lacks, or undefined
 *   run({ url, dataFolder, folder })   throws an error if a test fails
 * `folder` is a scratch folder of the suite, `url` the address of the demo, and `dataFolder` its data, for commands.
 * Suites run one after the other on the same demo, so each undoes its changes.
 */
const files = readdirSync(import.meta.dirname, { recursive: true })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /^[\w-]+\/suite\.mjs$|^recipes\/[\w-]+\.mjs$/.test(path))
const names = files
  .map((path) => path.replace(/(\/suite)?\.mjs$/, ''))
  .filter((name) => options.only === undefined || name === options.only || name.startsWith(`${options.only}/`))
  .sort()
if (names.length === 0) {
  console.error(`There is no suite interop/${options.only}.`)
  process.exit(1)
}

const scratch = makeFolder()
const results = []
let program
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    await cleanUp()
    process.exit(1)
  })
try {
  for (const name of names) {
    const file = files.find((path) => path === `${name}/suite.mjs` || path === `${name}.mjs`)
    const suite = await import(`./${file}`)
    const folder = join(scratch, name)
    await mkdir(folder, { recursive: true })
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
    program ??= await startProgram(join(scratch, 'latchkey'))
    await suite.run({ url: program.url, dataFolder: program.dataFolder, folder })
    return end('passed')
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return end('failed')
  }
}
