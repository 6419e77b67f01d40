import type { Readable } from 'node:stream'
import { LONGEST_ROW } from './row.ts'

const NEWLINE = 0x0a
const BOM = Buffer.from('\ufeff')

/** The lines of a stream; undefined for one that is too long, of which no more than that is held. */
export async function* splitLines(input: Readable): AsyncGenerator<Buffer | undefined> {
  let rest: Buffer = Buffer.alloc(0)
  let tooLong = false
  let first = true
  const settle = (line: Buffer): Buffer | undefined => {
    const whole = first && line.subarray(0, BOM.length).equals(BOM) ? line.subarray(BOM.length) : line
    const settled = tooLong || whole.length > LONGEST_ROW ? undefined : whole
    first = false
    tooLong = false
    return settled
  }
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      yield settle(Buffer.concat([rest, chunk.subarray(start, end)]))
      rest = Buffer.alloc(0)
      start = end + 1
    }
    const open = chunk.subarray(start)
    tooLong ||= rest.length + open.length > LONGEST_ROW
    rest = tooLong ? Buffer.alloc(0) : Buffer.concat([rest, open])
  }
  if (rest.length > 0 || tooLong) yield settle(rest)
}
