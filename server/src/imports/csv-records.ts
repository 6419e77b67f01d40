import type { Readable } from 'node:stream'
import { splitLines } from './lines.ts'
import { LONGEST_ROW } from './row.ts'

/** The text of one record, which may go over several lines where a quotation mark is open. */
export interface CsvRecord {
  /** The first of them. */
  line: number
  text: string
  /** Why it cannot be one. */
  problem?: string
}

/**
 * The records of a file. What goes over several lines must make sense as a whole; where it does not, a quotation mark
 * is missing in its first line, and that line alone is given up: the others may be people.
 */
export async function* splitRecords(
  input: Readable,
  isWhole: (text: string) => boolean,
): AsyncGenerator<CsvRecord> {
  const waiting: CsvRecord[] = []
  for await (const line of readLines(input)) {
    waiting.push(line)
    yield* settle(waiting, { isWhole, isEnd: false })
  }
  yield* settle(waiting, { isWhole, isEnd: true })
}

interface Settling {
  isWhole(text: string): boolean
  isEnd: boolean
}

/** Takes from the lines that wait what is known to be a record, or none. */
function* settle(waiting: CsvRecord[], { isWhole, isEnd }: Settling): Generator<CsvRecord> {
  for (let first = waiting[0]; first; first = waiting[0]) {
    const length = first.problem === undefined ? countLines(waiting) : 1
    if (length === 'more' && !isEnd) return
    const lines = waiting.slice(0, length === 'never' || length === 'more' ? 1 : length)
    const text = lines.map((line) => line.text).join('\n')
    const sound = lines.length === 1 ? typeof length === 'number' : isWhole(text)
    const taken = waiting.splice(0, sound ? lines.length : 1)
    if (sound && taken.length > 1) yield { line: first.line, text }
    else if (sound) yield first
    else yield { ...first, problem: 'a quotation mark is opened and never closed' }
  }
}

/** How many of the lines make a record: as many as it takes until every quotation mark has its partner. */
function countLines(lines: CsvRecord[]): number | 'more' | 'never' {
  let open = false
  let size = 0
  for (const [index, { text, problem }] of lines.entries()) {
    size += text.length + 1
    if (problem !== undefined || size > LONGEST_ROW) return 'never'
    if (text.split('"').length % 2 === 0) open = !open
    if (!open) return index + 1
  }
  return 'more'
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The lines of the file, but for empty ones. */
async function* readLines(input: Readable): AsyncGenerator<CsvRecord> {
  let line = 0
  for await (const bytes of splitLines(input)) {
    line++
    const text = bytes && decode(bytes)
    if (!bytes) yield { line, text: '', problem: `is longer than ${LONGEST_ROW} bytes` }
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
