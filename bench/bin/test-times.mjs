#!/usr/bin/env node
// Prints the slowest test files and tests. `npm run test:times` runs the fast tests first; more arguments go to Vitest
// (`npm run test:times -- --mode full`). `npm run test:times -- report.json` reads an existing report.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const MAX_ROWS = 25
const CLOCK_TICKS_PER_SECOND = 100

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const args = process.argv.slice(2)
const reportPath = args.find((arg) => arg.endsWith('.json'))
const { report, status } = reportPath ? { report: read(reportPath), status: 0 } : runTests(args)
if (report) print(report)
process.exitCode = status

function read(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function runTests(vitestArgs) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-times-'))
  const file = join(folder, 'report.json')
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${file}`]
  const startedAt = performance.now()
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...reporters, ...vitestArgs], {
    cwd: root,
    stdio: 'inherit',
  })
  const wall = (performance.now() - startedAt) / 1_000
  console.log(`\nThe whole run: ${seconds(wall)} wall${cpuOfChildren()}`)
  const found = status === null ? undefined : read(file)
  rmSync(folder, { recursive: true, force: true })
  return { report: found, status: status ?? 1 }
}

/** CPU time of the run and its child processes. Linux only. */
function cpuOfChildren() {
  if (process.platform !== 'linux') return ''
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
  return `, ${seconds((Number(fields[13]) + Number(fields[14])) / CLOCK_TICKS_PER_SECOND)} CPU including child processes`
}

function print({ testResults }) {
  const files = testResults.map(({ name, startTime, endTime, assertionResults }) => ({
    name: relative(root, name),
    wall: (endTime - startTime) / 1_000,
    cpu: Math.max(0, ...assertionResults.map(({ meta }) => meta?.fileCpuMs ?? 0)) / 1_000,
    tests: assertionResults.length,
  }))
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, duration = 0, meta }) => ({
      name: `${relative(root, name)} > ${fullName}`,
      wall: duration / 1_000,
      cpu: (meta?.cpuMs ?? 0) / 1_000,
    })),
  )
  list('Slowest files', files)
  list('Slowest tests', tests)
  const sum = (key) => seconds(files.reduce((total, file) => total + file[key], 0))
  console.log(`\n${files.length} files, ${tests.length} tests: ${sum('wall')} file wall, ${sum('cpu')} file CPU`)
}

function list(title, rows) {
  console.log(`\n${title} (wall, CPU of the test process)`)
  for (const { name, wall, cpu } of rows.sort((a, b) => b.wall - a.wall).slice(0, MAX_ROWS)) {
    console.log(`${seconds(wall).padStart(9)} ${seconds(cpu).padStart(9)}  ${name}`)
  }
}

function seconds(value) {
  return `${value.toFixed(1)} s`
}
