import { Readable } from 'node:stream'
import type { Ctx } from '../../src/context.ts'
import { readCsv } from '../../src/imports/csv.ts'
import { readJsonLines } from '../../src/imports/json-lines.ts'
import type { ParsedRow, RowProblem } from '../../src/imports/row.ts'
import { type ImportOptions, type ImportSummary, importUsers } from '../../src/imports/service.ts'

export interface Result extends ImportSummary {
  problems: RowProblem[]
}

/** Runs an import and collects its problems. */
export async function importRows(
  ctx: Ctx,
  rows: AsyncIterable<ParsedRow>,
  options: Partial<ImportOptions> = {},
): Promise<Result> {
  const problems: RowProblem[] = []
  const summary = await importUsers(ctx, {
    rows,
    onConflict: 'skip',
    defaultMembership: {},
    dryRun: false,
    onProgress: () => {},
    ...options,
    onProblem: (problem) => problems.push(problem),
  })
  return { ...summary, problems }
}

export const findUser = ({ db }: Ctx, email: string) =>
  db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()

/** The audit events of the import of a user. */
export async function listImportEvents(ctx: Ctx, email: string) {
  const { id = '' } = (await findUser(ctx, email)) ?? {}
  return ctx.db
    .selectFrom('audit_entries')
    .select(['action', 'actor_kind', 'details', 'personal'])
    .where('user_id', '=', id)
    .where('action', '=', 'user.imported')
    .execute()
}

/** A stream of small chunks, like one from a file. */
const toStream = (text: string | Buffer, chunkSize: number) => {
  const bytes = Buffer.from(text)
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, i) =>
    bytes.subarray(i * chunkSize, (i + 1) * chunkSize),
  )
  return Readable.from(chunks)
}

export const csv = (text: string | Buffer, delimiter = ',') => readCsv(toStream(text, 7), delimiter)
export const jsonLines = (...lines: (object | string)[]) =>
  readJsonLines(
    toStream(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'), 1_000),
  )
