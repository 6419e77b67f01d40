import { createReadStream, type ReadStream, statSync } from 'node:fs'
import { extname } from 'node:path'
import { Command, Option } from 'commander'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import type { Ctx } from '../context.ts'
import type { Role } from '../db/tables.ts'
import { OperatorError } from '../errors.ts'
import { findDelimiter, readCsv } from '../imports/csv.ts'
import { readJsonLines } from '../imports/json-lines.ts'
import type { ReadRow } from '../imports/row.ts'
import { importUsers, type Tally } from '../imports/service.ts'
import { fsProblem } from '../lib/fs-problem.ts'
import { findTenant } from '../tenants/service.ts'
import { createProblemReport } from './problem-report.ts'
import { createProgress } from './progress.ts'
import { runCommand } from './run.ts'

type Format = 'csv' | 'jsonl'

interface Options {
  format?: Format
  dryRun?: boolean
  tenant?: string
  role?: Role
  onConflict: 'skip' | 'update'
  errors?: string
}

const users = new Command('users')
  .description('bring people along from another system, with the hashes of their passwords')
  .argument('<file>', 'CSV with a row of column names, or one JSON object a line')
  .addOption(new Option('--format <format>', 'what the file is (by its ending)').choices(['csv', 'jsonl']))
  .option('--dry-run', 'look at every row and change nothing')
  .option('--tenant <slug>', 'the tenant of those whose row names none')
  .addOption(new Option('--role <role>', 'their role there').choices(['owner', 'admin', 'member']))
  .addOption(
    new Option('--on-conflict <what>', 'what to do about people who are here already')
      .choices(['skip', 'update'])
      .default('skip'),
  )
  .option('--errors <file>', 'write the rows that could not be used there, as CSV: line, email, reason')
  .addHelpText(
    'after',
    '\nWhoever is here already keeps their password. A run that was broken off can simply be done again.' +
      '\nEnds with 1 when a row could not be used.',
  )
  .action(async (file: string, options: Options) => {
    if (options.role !== undefined && options.tenant === undefined)
      throw new OperatorError('--role is the role in a tenant: say which with --tenant.')
    const size = sizeOf(file)
    const format = options.format ?? formatOf(file)
    await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
      await requireTenant(ctx, options.tenant)
      await run(ctx, { file, size, format, options })
    })
  })

export const importCommand = new Command('import')
  .description('bring along what another system holds')
  .addCommand(users)

function sizeOf(file: string): number {
  try {
    const stats = statSync(file)
    if (stats.isFile()) return stats.size
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${fsProblem(error) ?? 'there is no such file'}.`, {
      cause: error,
    })
  }
  throw new OperatorError(`${file} cannot be read: it is no file.`)
}

function formatOf(file: string): Format {
  const ending = extname(file).toLowerCase()
  if (ending === '.csv' || ending === '.tsv') return 'csv'
  if (['.jsonl', '.ndjson'].includes(ending)) return 'jsonl'
  throw new OperatorError(
    `What ${file} holds cannot be told from its name: say --format csv or --format jsonl.`,
  )
}

async function requireTenant(ctx: Ctx, slug: string | undefined): Promise<void> {
  if (slug !== undefined && !(await findTenant(ctx, slug)))
    throw new OperatorError(`There is no tenant ${slug}.`)
}

interface Run {
  file: string
  size: number
  format: Format
  options: Options
}

async function run(ctx: Ctx, { file, size, format, options }: Run): Promise<void> {
  const { onConflict, tenant, role, dryRun = false } = options
  const input = createReadStream(file)
  const progress = createProgress(process.stderr)
  const report = createProblemReport(options.errors, progress)
  try {
    const tally = await importUsers(ctx, {
      ...{ rows: await readRows(file, input, format), onConflict, dryRun, placement: { tenant, role } },
      onProblem: report.add,
      onProgress: (standing) => progress.show({ share: input.bytesRead / (size || 1), done: sum(standing) }),
    })
    progress.clear()
    await report.close()
    console.log(summarise(tally, dryRun))
    if (tally.failed > 0) process.exitCode = 1
  } finally {
    progress.clear()
    input.destroy()
  }
}

async function readRows(file: string, input: ReadStream, format: Format): Promise<AsyncIterable<ReadRow>> {
  return format === 'csv' ? readCsv(input, await findDelimiter(file)) : readJsonLines(input)
}

const sum = ({ imported, updated, skipped, failed }: Tally) => imported + updated + skipped + failed

const summarise = ({ imported, updated, skipped, failed }: Tally, dryRun: boolean) =>
  `${dryRun ? 'Nothing was changed. It would be: ' : ''}${imported} imported, ${updated} updated, ` +
  `${skipped} here already, ${failed} not usable.`
