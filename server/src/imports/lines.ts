import type { Readable } from 'node:stream'
import { MAX_ROW_BYTES } from './row.ts'

const NEWLINE = 0x0a
const BOM = Buffer.from('\ufeff')

/** The lines of a stream. A line that is too long is not buffered and is yielded as undefined. */
export async function* splitLines(input: Readable): AsyncGenerator<Buffer | undefined> {
  let rest: Buffer = Buffer.alloc(0)
  let isTooLong = false
  let isFirst = true
  const endLine = (bytes: Buffer): Buffer | undefined => {
    const text = isFirst && bytes.subarray(0, BOM.length).equals(BOM) ? bytes.subarray(BOM.length) : bytes
    const line = isTooLong || text.length > MAX_ROW_BYTES ? undefined : text
    isFirst = false
    isTooLong = false
    return line
  }
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      yield endLine(Buffer.concat([rest, chunk.subarray(start, end)]))
      rest = Buffer.alloc(0)
      start = end + 1
    }
    const remainder = chunk.subarray(start)
    isTooLong ||= rest.length + remainder.length > MAX_ROW_BYTES
    rest = isTooLong ? Buffer.alloc(0) : Buffer.concat([rest, remainder])
  }
  if (rest.length > 0 || isTooLong) yield endLine(rest)
}
