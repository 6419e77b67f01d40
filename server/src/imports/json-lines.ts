import type { Readable } from 'node:stream'
import { parseJson } from '../lib/json.ts'
import { findField } from './columns.ts'
import { LONGEST_ROW, type ReadRow, type Row } from './row.ts'

const NEWLINE = 0x0a
const BOM = Buffer.from('\ufeff')

/** The rows of a file with one JSON object a line. */
export async function* readJsonLines(input: Readable): AsyncGenerator<ReadRow> {
  let line = 0
  for await (const bytes of splitLines(input)) {
    line++
    if (!bytes) yield { line, reason: `is longer than ${LONGEST_ROW} bytes` }
    else if (bytes.toString().trim() !== '') yield readLine(bytes, line)
  }
}

/** The lines of a stream; undefined for one that is too long, of which no more than that is held. */
async function* splitLines(input: Readable): AsyncGenerator<Buffer | undefined> {
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

function readLine(bytes: Buffer, line: number): ReadRow {
  const result = parseJson(bytes)
  if (!result.ok) {
    const { problem } = result
    return {
      line,
      reason: problem.kind === 'value' ? `${problem.field} ${problem.message}` : 'is not valid JSON',
    }
  }
  const { value } = result
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return { line, reason: 'is no JSON object' }
  }
  const values: Row['values'] = {}
  for (const [key, inner] of Object.entries(value)) {
    const field = findField(key)
    if (!field) return { line, reason: `has a field that is not known: ${JSON.stringify(key.slice(0, 60))}` }
    if (field in values) return { line, reason: `says twice what the ${field} is` }
    values[field] = inner
  }
  return { line, values }
}
