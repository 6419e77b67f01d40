import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { verifyChain } from '../audit/chain/verify.ts'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import type { Ctx } from '../context.ts'
import { countRows, type RowCounts } from '../db/row-counts.ts'
import { OperatorError } from '../errors.ts'
import { requireSigningKeys } from '../keys/signing-keys.ts'
import { verifyLedger } from '../licensing/verify-ledger.ts'
import { runCommand } from './run.ts'

export const verifyCommand = new Command('verify')
  .description('check the integrity of the data, for example after a restore: audit log, ledger, keys, row counts')
  .option('--json', 'print the row count of every table as JSON, for a later comparison')
  .option('--counts <file>', 'compare the row counts with such a file')
  .action(async ({ json = false, counts }: { json?: boolean; counts?: string }) => {
    const expected = counts === undefined ? undefined : readCounts(counts)
    await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
      const found = await countRows(ctx.db)
      const problems = [
        ...(await verifyAudit(ctx)),
        ...(await verifyLedger(ctx.db)),
        ...(await verifyKeys(ctx)),
        ...(expected ? compareCounts(expected, found) : []),
      ]
      console.log(json ? JSON.stringify(found, null, 2) : describeCounts(found))
      for (const problem of problems) console.error(problem)
      if (!json) console.log(problems.length === 0 ? 'All is well.' : `${problems.length} problems.`)
      if (problems.length > 0) process.exitCode = 1
    })
  })

async function verifyAudit(ctx: Ctx): Promise<string[]> {
  const problems: string[] = []
  const onFinding = ({ what, position }: { what: string; position?: number | undefined }) =>
    void problems.push(`the audit log at position ${position ?? '?'}: ${what}`)
  await verifyChain(ctx, { known: undefined, onFinding, onProgress: () => {} })
  return problems
}

/** Signing keys cannot be used with a different encryption key. */
async function verifyKeys(ctx: Ctx): Promise<string[]> {
  try {
    await requireSigningKeys(ctx)
    return []
  } catch (error) {
    return [`the signing keys cannot be used: ${error instanceof Error ? error.message : error}`]
  }
}

function readCounts(file: string): RowCounts {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RowCounts
  } catch (error) {
    throw new OperatorError(`${file} cannot be read as the output of "latchkey verify --json".`, {
      cause: error,
    })
  }
}

const compareCounts = (expected: RowCounts, found: RowCounts): string[] =>
  [...new Set([...Object.keys(expected), ...Object.keys(found)])]
    .filter((table) => expected[table] !== found[table])
    .map((table) => `${table} has ${found[table] ?? 'no'} rows, not ${expected[table] ?? 'any'}`)

const describeCounts = (counts: RowCounts): string =>
  Object.entries(counts)
    .map(([table, count]) => `${table.padEnd(28)} ${count}`)
    .join('\n')
