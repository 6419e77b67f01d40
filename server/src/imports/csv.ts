import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { type CsvError, type Info, parse } from 'csv-parse'
import { OperatorError } from '../errors.ts'
import { readHeader } from './columns.ts'
import { LONGEST_ROW, type ReadRow } from './row.ts'

interface Record {
  record: string[]
  info: Info
}

/** The rows of a file of values separated by commas, semicolons or tabs, under a row of names. */
export async function* readCsv(input: Readable, delimiter: string): AsyncGenerator<ReadRow> {
  const broken: ReadRow[] = []
  const parser = parse({
    ...{ bom: true, delimiter, info: true, skip_empty_lines: true },
    ...{ relax_column_count: true, skip_records_with_error: true, max_record_size: LONGEST_ROW },
  })
  parser.on('skip', (error: CsvError) => broken.push({ line: lineOf(error), reason: explain(error) }))
  input.once('error', (error) => parser.destroy(error))
  let fields: ReturnType<typeof readHeader> | undefined
  try {
    for await (const { record, info } of input.pipe(parser) as AsyncIterable<Record>) {
      yield* broken.splice(0)
      if (!fields) {
        fields = readHeader(record)
        continue
      }
      yield toRow(fields, record, info.lines)
    }
  } catch (error) {
    throw isCsvError(error) ? new OperatorError(`Line ${lineOf(error)}: ${explain(error)}.`) : error
  }
  if (!fields) throw new OperatorError('The file has no row of column names.')
  yield* broken
}

function toRow(fields: ReturnType<typeof readHeader>, record: string[], line: number): ReadRow {
  if (record.length !== fields.length) {
    return { line, reason: `has ${record.length} values, but there are ${fields.length} columns` }
  }
  if (record.some((value) => value.includes('\ufffd'))) return { line, reason: 'is not valid UTF-8' }
  return { line, values: Object.fromEntries(fields.map((field, index) => [field, record[index]])) }
}

const isCsvError = (error: unknown): error is CsvError =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_')

const lineOf = (error: CsvError) => Number(error.lines ?? 0)

/** The parser's own words repeat what stands in the row. */
const REASONS: { [code: string]: string } = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE: 'something follows a closing quotation mark; within a value it is written twice',
  INVALID_OPENING_QUOTE: 'a quotation mark stands within a value that does not begin with one',
  CSV_MAX_RECORD_SIZE: `is longer than ${LONGEST_ROW} characters`,
}

const explain = ({ code }: CsvError) => REASONS[code] ?? 'cannot be read'

const HEAD = 65_536
const DELIMITERS = [',', ';', '\t']

/** What the values of a file are separated by: what its first line has most of, beyond quotation marks. */
export async function findDelimiter(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0)
    if ([0xfe, 0xff].includes(buffer[0] ?? 0) && [0xfe, 0xff].includes(buffer[1] ?? 0))
      throw new OperatorError('The file is written in UTF-16. Save it as UTF-8.')
    const [line = ''] = buffer
      .toString('utf8', 0, bytesRead)
      .replace(/^\ufeff?\s*/, '')
      .split(/\r\n|\r|\n/)
    const bare = line.replace(/"[^"]*"/g, '')
    const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length)
    return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
  } finally {
    await file.close()
  }
}
