import type { Readable } from 'node:stream'
import { splitLines } from './lines.ts'
import { MAX_ROW_BYTES } from './row.ts'

/** The text of one record. A record spans several lines when a quoted value contains a line break. */
export interface CsvRecord {
  /** The number of its first line. */
  line: number
  text: string
  /** Why the text is not a valid record. */
  problem?: string
}

/**
 * The records of a file. A record that spans several lines must be valid as a whole. If it is not, its first line
 * has an unclosed quotation mark, and only that line is rejected: the lines after it may be valid records.
 */
export async function* splitRecords(
  input: Readable,
  isValidRecord: (text: string) => boolean,
): AsyncGenerator<CsvRecord> {
  const pending: CsvRecord[] = []
  for await (const line of readLines(input)) {
    pending.push(line)
    yield* takeRecords(pending, { isValidRecord, isEndOfFile: false })
  }
  yield* takeRecords(pending, { isValidRecord, isEndOfFile: true })
}

interface TakeOptions {
  isValidRecord(text: string): boolean
  isEndOfFile: boolean
}

/** Removes the complete records from the pending lines and yields them. */
function* takeRecords(pending: CsvRecord[], { isValidRecord, isEndOfFile }: TakeOptions): Generator<CsvRecord> {
  for (let first = pending[0]; first; first = pending[0]) {
    const length = first.problem === undefined ? countRecordLines(pending) : 1
    if (length === 'incomplete' && !isEndOfFile) return
    const lines = pending.slice(0, typeof length === 'number' ? length : 1)
    const text = lines.map((line) => line.text).join('\n')
    const isValid = lines.length === 1 ? typeof length === 'number' : isValidRecord(text)
    const taken = pending.splice(0, isValid ? lines.length : 1)
    if (isValid && taken.length > 1) yield { line: first.line, text }
    else if (isValid) yield first
    else yield { ...first, problem: 'a quotation mark is opened and never closed' }
  }
}

/** How many lines the first record has: it ends at the first line after which every quotation mark is closed. */
function countRecordLines(lines: CsvRecord[]): number | 'incomplete' | 'invalid' {
  let isQuoteOpen = false
  let size = 0
  for (const [index, { text, problem }] of lines.entries()) {
    size += text.length + 1
    if (problem !== undefined || size > MAX_ROW_BYTES) return 'invalid'
    if (text.split('"').length % 2 === 0) isQuoteOpen = !isQuoteOpen
    if (!isQuoteOpen) return index + 1
  }
  return 'incomplete'
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The lines of the file, without empty ones. */
async function* readLines(input: Readable): AsyncGenerator<CsvRecord> {
  let line = 0
  for await (const bytes of splitLines(input)) {
    line++
    const text = bytes && decode(bytes)
    if (!bytes) yield { line, text: '', problem: `is longer than ${MAX_ROW_BYTES} bytes` }
    else if (text === undefined) yield { line, text: '', problem: 'is not valid UTF-8' }
    else if (text !== '') yield { line, text }
  }
}

function decode(bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes).replace(/\r$/, '')
  } catch {
    return undefined
  }
}
