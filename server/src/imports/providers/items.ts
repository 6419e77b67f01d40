import { basename, extname } from 'node:path'
import { OperatorError } from '../../errors.ts'
import { findJsonProblem } from '../../lib/json.ts'
import { readTable } from '../csv.ts'
import type { InputFiles } from '../input-files.ts'
import { splitJson } from '../json-items.ts'
import type { RowProblem } from '../row.ts'

/** An object of an export file. */
export type Values = Record<string, unknown>

/** Where an object is. */
export interface Place {
  line: number
  place: string
}

export interface Item extends Place {
  section: string
  values: Values
}

export type ParsedItem = Item | RowProblem

/** One user. A user with more data than this is reported. */
const MAX_ITEM_BYTES = 1024 * 1024
/** An organization or a group together with its members. */
const MAX_LIST_BYTES = 64 * 1024 * 1024

interface ReadOptions {
  /** The lists to read from a JSON document. Empty: the document is a list, or has one object per line. */
  sections: readonly string[]
  /** Whether an item contains the list of its members. */
  hasMembers?: boolean
}

/** The objects of a JSON file. */
export async function* readJsonItems(
  files: InputFiles,
  file: string,
  { sections, hasMembers = false }: ReadOptions,
): AsyncGenerator<ParsedItem> {
  const maxBytes = hasMembers ? MAX_LIST_BYTES : MAX_ITEM_BYTES
  const items = splitJson(files.open(file), { sections, maxBytes })
  for await (const { section, index, line, bytes } of withFileName(file, items)) {
    const place = `${basename(file)}, line ${line}${section === '' ? '' : ` (${section}[${index}])`}`
    const values = bytes ? parseObject(bytes) : `is longer than ${maxBytes} bytes`
    if (typeof values === 'string') yield { line, place, reason: values }
    else yield { line, place, section, values }
  }
}

interface CsvOptions {
  /** The columns of a file without a row of column names. */
  columns?: string[]
  /** How many values a record of such a file has at least. */
  minValues?: number
  /** A column that the row of column names must have. */
  required?: string
}

/** The records of a CSV file. */
export async function* readCsvItems(
  files: InputFiles,
  file: string,
  { columns, minValues = 0, required }: CsvOptions,
): AsyncGenerator<ParsedItem> {
  const parseHeader = columns ? { columns, minValues } : (names: string[]) => requireColumn(names, required)
  const rows = readTable(files.open(file), { delimiter: ',', parseHeader })
  for await (const row of withFileName(file, rows)) {
    const place = `${basename(file)}, line ${row.line}`
    if ('reason' in row) yield { ...row, place }
    else yield { line: row.line, place, section: '', values: row.values }
  }
}

function requireColumn(names: string[], required: string | undefined): string[] {
  const columns = names.map((name) => name.trim())
  if (required === undefined || columns.includes(required)) return columns
  throw new OperatorError(`There is no column "${required}".`)
}

export const isCsv = (file: string): boolean => extname(file).toLowerCase() === '.csv'

/** Names the file in errors about its content. */
async function* withFileName<T>(file: string, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items
  } catch (error) {
    if (!(error instanceof OperatorError) || error.message.startsWith(file)) throw error
    throw new OperatorError(`${file}: ${error.message}`, { cause: error })
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The object, or the reason why the text is not a valid one. The reason never quotes the text. */
function parseObject(bytes: Buffer): Values | string {
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(bytes))
  } catch {
    return 'is not valid JSON in UTF-8'
  }
  if (!isObject(value)) return 'is not a JSON object'
  const problem = findJsonProblem(value)
  return problem === undefined ? value : problem.replace(/\.$/, '')
}

export const isObject = (value: unknown): value is Values =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** The object, or an empty one for any other value. */
export const toObject = (value: unknown): Values => (isObject(value) ? value : {})

/** The objects of a list; none for any other value. */
export const toObjects = (value: unknown): Values[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** The text; undefined for an empty one and for any other value. */
export const toText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

/** The texts of a list; none for any other value. */
export const toTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []

/** An object that is stored as a JSON text; empty when it is not one. */
export function parseEmbedded(value: unknown): Values {
  if (typeof value !== 'string') return toObject(value)
  try {
    return toObject(JSON.parse(value))
  } catch {
    return {}
  }
}

/** A flag of JSON, or of CSV, where it is a text. */
export const isTrue = (value: unknown): boolean => value === true || value === 'true' || value === 'TRUE'
