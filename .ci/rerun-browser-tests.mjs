#!/usr/bin/env node
// Runs failed browser test files once more, alone. A busy machine can delay a browser in ways that a test cannot wait
// for. All other tests must pass the first time, so a rare race is never hidden.
//   .ci/rerun-browser-tests.mjs REPORT [arguments of vitest run]
// REPORT is the JSON report of the failed run. If everything passes now, the report is updated.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

const MAX_FILES = 3
const DRIVES_A_BROWSER = /support\/browser\.ts|\/(console-page|react-page)\.ts/

const [reportPath, ...vitestArgs] = process.argv.slice(2)
const report = read(reportPath)
const failed = report.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name)
const others = failed.filter((file) => !DRIVES_A_BROWSER.test(readFileSync(file, 'utf8')))
// A run can also fail outside of its tests, for example by an unhandled error.
if (failed.length === 0 || failed.length > MAX_FILES || others.length > 0) process.exit(1)

const names = failed.map((file) => relative(process.cwd(), file))
console.log(`\nFailed, and run once more: ${names.join(', ')}`)
const second = runAgain(names)
if (!second) process.exit(1)
const results = report.testResults.map(
  (result) => second.testResults.find(({ name }) => name === result.name) ?? result,
)
writeFileSync(reportPath, JSON.stringify({ ...report, ...count(results), success: true, testResults: results }))
console.log(`\nPassed at the second try only: ${names.join(', ')}`)

function runAgain(files) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-rerun-'))
  const file = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const args = ['vitest', 'run', ...vitestArgs, '--maxWorkers', '1', ...reporters, ...files]
  const { status } = spawnSync('npx', args, { stdio: 'inherit' })
  const found = status === 0 ? read(file) : undefined
  rmSync(folder, { recursive: true, force: true })
  // A file that was not run did not pass.
  return found?.testResults.length === files.length ? found : undefined
}

function count(results) {
  const states = results.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status))
  const numFailedTests = states.filter((status) => status === 'failed').length
  const numPassedTests = states.filter((status) => status === 'passed').length
  return { numFailedTests, numPassedTests, numPendingTests: states.length - numFailedTests - numPassedTests }
}

function read(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
