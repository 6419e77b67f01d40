import type { Readable } from 'node:stream'
import { parseJson } from '../lib/json.ts'
import { findField } from './columns.ts'
import { splitLines } from './lines.ts'
import { LONGEST_ROW, type ReadRow, type Row } from './row.ts'

/** The rows of a file with one JSON object a line. */
export async function* readJsonLines(input: Readable): AsyncGenerator<ReadRow> {
  let line = 0
  for await (const bytes of splitLines(input)) {
    line++
    if (!bytes) yield { line, reason: `is longer than ${LONGEST_ROW} bytes` }
    else if (bytes.toString().trim() !== '') yield readLine(bytes, line)
  }
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
