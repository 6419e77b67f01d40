import { createReadStream, type ReadStream } from 'node:fs'
import { extname } from 'node:path'
import { Command, Option } from 'commander'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import type { Ctx } from '../context.ts'
import type { Role } from '../db/tables.ts'
import { OperatorError } from '../errors.ts'
import { detectDelimiter, readCsv } from '../imports/csv.ts'
import { requireFile } from '../imports/input-files.ts'
import { readJsonLines } from '../imports/json-lines.ts'
import type { ParsedRow } from '../imports/row.ts'
import { type ImportSummary, importUsers } from '../imports/service.ts'
import { findTenant } from '../tenants/service.ts'
import { createProblemReport, ERROR_COLUMNS } from './problem-report.ts'
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

export const usersCommand = new Command('users')
  .description('import users from another system, with their password hashes')
  .argument('<file>', 'CSV with a row of column names, or one JSON object a line')
  .addOption(new Option('--format <format>', 'the file format (from the file extension)').choices(['csv', 'jsonl']))
  .option('--dry-run', 'validate every row and change nothing')
  .option('--tenant <slug>', 'the tenant for rows that name none')
  .addOption(new Option('--role <role>', 'the role in that tenant').choices(['owner', 'admin', 'member']))
  .addOption(
    new Option('--on-conflict <what>', 'what to do with users that already exist')
      .choices(['skip', 'update'])
      .default('skip'),
  )
  .option('--errors <file>', 'write invalid rows to this file as CSV: line, email, reason')
  .addHelpText(
    'after',
    '\nExisting users keep their password. An interrupted import can be repeated.' +
      '\nExits with 1 when a row is invalid.',
  )
  .action(async (file: string, options: Options) => {
    if (options.role !== undefined && options.tenant === undefined)
      throw new OperatorError('--role needs a tenant: name it with --tenant.')
    const size = requireFile(file)
    const format = options.format ?? getFormat(file)
    await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
      await requireTenant(ctx, options.tenant)
      await run(ctx, { file, size, format, options })
    })
  })

function getFormat(file: string): Format {
  const ending = extname(file).toLowerCase()
  if (ending === '.csv' || ending === '.tsv') return 'csv'
  if (['.jsonl', '.ndjson'].includes(ending)) return 'jsonl'
  throw new OperatorError(`The format of ${file} is not clear from its name: use --format csv or --format jsonl.`)
}

async function requireTenant(ctx: Ctx, slug: string | undefined): Promise<void> {
  if (slug !== undefined && !(await findTenant(ctx, slug))) throw new OperatorError(`There is no tenant ${slug}.`)
}

interface ImportRun {
  file: string
  size: number
  format: Format
  options: Options
}

async function run(ctx: Ctx, { file, size, format, options }: ImportRun): Promise<void> {
  const { onConflict, tenant, role, dryRun = false } = options
  const input = createReadStream(file)
  const progress = createProgress(process.stderr)
  const report = createProblemReport(options.errors, { progress, option: '--errors', columns: ERROR_COLUMNS })
  try {
    const summary = await importUsers(ctx, {
      rows: await readRows(file, input, format),
      onConflict,
      dryRun,
      defaultMembership: { tenant, role },
      onProblem: report.add,
      onProgress: (counts) => progress.show({ share: input.bytesRead / (size || 1), done: sum(counts) }),
    })
    progress.clear()
    await report.close()
    console.log(describeSummary(summary, dryRun))
    if (summary.failed > 0) process.exitCode = 1
  } finally {
    progress.clear()
    input.destroy()
  }
}

async function readRows(file: string, input: ReadStream, format: Format): Promise<AsyncIterable<ParsedRow>> {
  return format === 'csv' ? readCsv(input, await detectDelimiter(file)) : readJsonLines(input)
}

const sum = ({ imported, updated, skipped, failed }: ImportSummary) => imported + updated + skipped + failed

const describeSummary = ({ imported, updated, skipped, failed }: ImportSummary, dryRun: boolean) =>
  `${dryRun ? 'Nothing was changed. It would be: ' : ''}${imported} imported, ${updated} updated, ` +
  `${skipped} here already, ${failed} not usable.`
