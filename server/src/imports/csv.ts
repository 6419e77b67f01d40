import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { OperatorError } from '../errors.ts'
import { type Field, readHeader } from './columns.ts'
import { type CsvRecord, splitRecords } from './csv-records.ts'
import { LONGEST_ROW, type ReadRow } from './row.ts'

/** Read so many at a time: that is much faster than one by one. */
const BATCH = 200

/** The rows of a file of values separated by commas, semicolons or tabs, under a row of names. */
export async function* readCsv(input: Readable, delimiter: string): AsyncGenerator<ReadRow> {
  let fields: Field[] | undefined
  let batch: CsvRecord[] = []
  const isWhole = (text: string) => {
    const values = readValues(text, delimiter)
    return Array.isArray(values) && (!fields || values.length === fields.length)
  }
  for await (const record of splitRecords(input, isWhole)) {
    if (!fields) fields = readHeader(requireValues(record, delimiter))
    else batch.push(record)
    if (!fields || batch.length < BATCH) continue
    yield* toRows(batch, fields, delimiter)
    batch = []
  }
  if (!fields) throw new OperatorError('The file has no row of column names.')
  yield* toRows(batch, fields, delimiter)
}

function requireValues({ line, text, problem }: CsvRecord, delimiter: string): string[] {
  const values = problem ?? readValues(text, delimiter)
  if (typeof values === 'string')
    throw new OperatorError(`Line ${line}, the names of the columns: ${values}.`)
  return values
}

/** All at once, or, should any of them be broken, each by itself. */
function* toRows(records: CsvRecord[], fields: Field[], delimiter: string): Generator<ReadRow> {
  const sound = records.filter(({ problem }) => problem === undefined)
  const together = readAll(sound, delimiter)
  let next = 0
  for (const { line, text, problem } of records) {
    const values = problem ?? together?.[next++] ?? readValues(text, delimiter)
    if (typeof values === 'string') yield { line, reason: values }
    else if (values.length === fields.length) {
      yield { line, values: Object.fromEntries(fields.map((field, index) => [field, values[index]])) }
    } else {
      yield { line, reason: `has ${values.length} values, but there are ${fields.length} columns` }
    }
  }
}

const parseText = (text: string, delimiter: string): string[][] =>
  parse(text, { delimiter, relax_column_count: true, record_delimiter: '\n' })

function readAll(records: CsvRecord[], delimiter: string): string[][] | undefined {
  try {
    const all = parseText(records.map(({ text }) => text).join('\n'), delimiter)
    return all.length === records.length ? all : undefined
  } catch (error) {
    if (error instanceof CsvError) return undefined
    throw error
  }
}

/** The values of one record, or why they cannot be read. */
function readValues(text: string, delimiter: string): string[] | string {
  try {
    const [values, ...more] = parseText(text, delimiter)
    return values && more.length === 0 ? values : 'cannot be read'
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return REASONS[error.code] ?? 'cannot be read'
  }
}

/** The parser's own words repeat what stands in the row. */
const REASONS: { [code: string]: string } = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE: 'something follows a closing quotation mark; within a value it is written twice',
  INVALID_OPENING_QUOTE: 'a quotation mark stands within a value that does not begin with one',
}

const DELIMITERS = [',', ';', '\t']

/** What the values of a file are separated by: what its first line has most of, beyond quotation marks. */
export async function findDelimiter(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST_ROW), 0, LONGEST_ROW, 0)
    if ([0xfeff, 0xfffe].includes(bytesRead < 2 ? 0 : buffer.readUInt16BE()))
      throw new OperatorError('The file is written in UTF-16. Save it as UTF-8.')
    const [line = ''] = buffer.toString('utf8', 0, bytesRead).trimStart().split('\n')
    const bare = line.replace(/"[^"]*"/g, '')
    const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length)
    return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
  } finally {
    await file.close()
  }
}
