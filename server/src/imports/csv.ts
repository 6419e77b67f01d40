import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { OperatorError } from '../errors.ts'
import { type Field, parseHeader } from './columns.ts'
import { type CsvRecord, splitRecords } from './csv-records.ts'
import { MAX_ROW_BYTES, type ParsedRow, type RowProblem } from './row.ts'

/** Parsing several records in one call is much faster than one call per record. */
const BATCH_SIZE = 200

/** The rows of a file with a header line and values separated by commas, semicolons or tabs. */
export const readCsv = (input: Readable, delimiter: string): AsyncGenerator<ParsedRow> =>
  readTable<Field>(input, { delimiter, parseHeader })

/** One record of a table, with its values by column. */
export interface TableRow<Column extends string> {
  line: number
  values: Partial<Record<Column, string>>
}

interface TableOptions<Column extends string> {
  delimiter: string
  /** A function of the names in the first record, or the columns of a file without a header. */
  parseHeader: ((names: string[]) => Column[]) | { columns: Column[]; minValues: number }
}

export async function* readTable<Column extends string>(
  input: Readable,
  { delimiter, parseHeader }: TableOptions<Column>,
): AsyncGenerator<TableRow<Column> | RowProblem> {
  let table = typeof parseHeader === 'function' ? undefined : { ...parseHeader, delimiter }
  let batch: CsvRecord[] = []
  const isValidRecord = (text: string) => {
    const values = parseRecord(text, delimiter)
    return Array.isArray(values) && (!table || hasAllValues(values, table))
  }
  for await (const record of splitRecords(input, isValidRecord)) {
    if (!table && typeof parseHeader === 'function') {
      const columns = parseHeader(requireValues(record, delimiter))
      table = { columns, minValues: columns.length, delimiter }
    } else batch.push(record)
    if (!table || batch.length < BATCH_SIZE) continue
    yield* toRows(batch, table)
    batch = []
  }
  if (!table) throw new OperatorError('The file has no row of column names.')
  yield* toRows(batch, table)
}

interface Table<Column extends string> {
  columns: Column[]
  /** Fewer than the columns, if values at the end of a record may be missing. */
  minValues: number
  delimiter: string
}

const hasAllValues = ({ length }: string[], { columns, minValues }: Table<string>) =>
  length >= minValues && length <= columns.length

function requireValues({ line, text, problem }: CsvRecord, delimiter: string): string[] {
  const values = problem ?? parseRecord(text, delimiter)
  if (typeof values === 'string') throw new OperatorError(`Line ${line}, the names of the columns: ${values}.`)
  return values
}

/** Parses the records in one call or, if one of them is invalid, each on its own. */
function* toRows<Column extends string>(
  records: CsvRecord[],
  table: Table<Column>,
): Generator<TableRow<Column> | RowProblem> {
  const { columns, delimiter } = table
  const valid = records.filter(({ problem }) => problem === undefined)
  const parsed = parseRecords(valid, delimiter)
  let next = 0
  for (const { line, text, problem } of records) {
    const values = problem ?? parsed?.[next++] ?? parseRecord(text, delimiter)
    if (typeof values === 'string') yield { line, reason: values }
    else if (hasAllValues(values, table)) {
      const byColumn = Object.fromEntries(columns.map((column, index) => [column, values[index]]))
      yield { line, values: byColumn as TableRow<Column>['values'] }
    } else {
      yield { line, reason: `has ${values.length} values, but there are ${columns.length} columns` }
    }
  }
}

const parseText = (text: string, delimiter: string): string[][] =>
  parse(text, { delimiter, relax_column_count: true, record_delimiter: '\n' })

/** Undefined when one of the records is invalid. */
function parseRecords(records: CsvRecord[], delimiter: string): string[][] | undefined {
  try {
    const all = parseText(records.map(({ text }) => text).join('\n'), delimiter)
    return all.length === records.length ? all : undefined
  } catch (error) {
    if (error instanceof CsvError) return undefined
    throw error
  }
}

/** The values of one record, or the reason why it is invalid. */
function parseRecord(text: string, delimiter: string): string[] | string {
  try {
    const [values, ...more] = parseText(text, delimiter)
    return values && more.length === 0 ? values : 'cannot be read'
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return REASONS[error.code] ?? 'cannot be read'
  }
}

/** The messages of the parser quote the row, which may contain secrets. */
const REASONS: { [code: string]: string } = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE: 'something follows a closing quotation mark; within a value it is written twice',
  INVALID_OPENING_QUOTE: 'a quotation mark is inside a value that does not begin with one',
}

const DELIMITERS = [',', ';', '\t']

/** The delimiter that occurs most often in the first line, outside quotation marks. */
export async function detectDelimiter(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_ROW_BYTES), 0, MAX_ROW_BYTES, 0)
    if ([0xfeff, 0xfffe].includes(bytesRead < 2 ? 0 : buffer.readUInt16BE()))
      throw new OperatorError('The file is written in UTF-16. Save it as UTF-8.')
    const [line = ''] = buffer.toString('utf8', 0, bytesRead).trimStart().split('\n')
    const unquoted = line.replace(/"[^"]*"/g, '')
    const counts = DELIMITERS.map((delimiter) => unquoted.split(delimiter).length)
    return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
  } finally {
    await file.close()
  }
}
