// Kills a single PostgreSQL server for four seconds, ten times, under load. No process of the service may exit.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url))
const TEST = 'server/test/program/database-killed.slow.test.ts'

/** Runs the test and returns the result of each setup. */
export async function testDatabaseCrashes() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-crashes-'))
  const report = join(folder, 'report.json')
  const args = ['vitest', 'run', '--mode', 'full', '--reporter=json', `--outputFile=${report}`, TEST]
  try {
    // vitest exits with an error if a test fails. The report has the details.
    await new Promise((resolve) => execFile('npx', args, { cwd: PROJECT, maxBuffer: 2 ** 26 }, resolve))
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
    return testResults.flatMap(({ assertionResults }) =>
      assertionResults
        .filter(({ status }) => status !== 'skipped')
        .map(({ title, status }) => ({
          setup: title.split(': ').at(-1).replaceAll("'", ''),
          passed: status === 'passed',
        })),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
