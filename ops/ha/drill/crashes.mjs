// One PostgreSQL is killed for four seconds, ten times, under invitations, mails and webhooks: no process may end.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url))
const TEST = 'server/test/program/database-killed.slow.test.ts'

/** For each setup of the test, whether it passed. */
export async function killOutright() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-crashes-'))
  const report = join(folder, 'report.json')
  const line = ['vitest', 'run', '--mode', 'full', '--reporter=json', `--outputFile=${report}`, TEST]
  try {
    // It fails when a test does, which the report tells.
    await new Promise((resolve) => execFile('npx', line, { cwd: PROJECT, maxBuffer: 2 ** 26 }, resolve))
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
    return testResults.flatMap(({ assertionResults }) =>
      assertionResults
        .filter(({ status }) => status !== 'skipped')
        .map(({ title, status }) => ({
          setup: title.split(': ').at(-1).replaceAll("'", ''),
          isGood: status === 'passed',
        })),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
