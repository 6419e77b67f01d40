import { Readable } from 'node:stream'
import type { Ctx } from '../../src/context.ts'
import { readCsv } from '../../src/imports/csv.ts'
import { readJsonLines } from '../../src/imports/json-lines.ts'
import type { Problem, ReadRow } from '../../src/imports/row.ts'
import { type Import, importUsers, type Tally } from '../../src/imports/service.ts'

export interface Result extends Tally {
  problems: Problem[]
}

/** Imports the text of a file, and tells what became of its rows. */
export async function bring(
  ctx: Ctx,
  rows: AsyncIterable<ReadRow>,
  options: Partial<Import> = {},
): Promise<Result> {
  const problems: Problem[] = []
  const tally = await importUsers(ctx, {
    ...{ rows, onConflict: 'skip', placement: {}, dryRun: false, onProgress: () => {}, ...options },
    onProblem: (problem) => problems.push(problem),
  })
  return { ...tally, problems }
}

/** In small pieces, as it may come from a disk. */
const pieces = (text: string | Buffer, size: number) => {
  const bytes = Buffer.from(text)
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  )
  return Readable.from(parts)
}

export const csv = (text: string | Buffer, delimiter = ',') => readCsv(pieces(text, 7), delimiter)
export const jsonLines = (...lines: (object | string)[]) =>
  readJsonLines(
    pieces(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'), 1_000),
  )
