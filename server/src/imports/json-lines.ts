import type { Readable } from 'node:stream'
import { parseJson } from '../lib/json.ts'
import { findField } from './columns.ts'
import { splitLines } from './lines.ts'
import { MAX_ROW_BYTES, type ParsedRow, type Row } from './row.ts'

/** The rows of a file with one JSON object per line. */
export async function* readJsonLines(input: Readable): AsyncGenerator<ParsedRow> {
  let line = 0
  for await (const bytes of splitLines(input)) {
    line++
    if (!bytes) yield { line, reason: `is longer than ${MAX_ROW_BYTES} bytes` }
    else if (bytes.toString().trim() !== '') yield parseLine(bytes, line)
  }
}

function parseLine(bytes: Buffer, line: number): ParsedRow {
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
    return { line, reason: 'is not a JSON object' }
  }
  const values: Row['values'] = {}
  for (const [key, inner] of Object.entries(value)) {
    const field = findField(key)
    if (!field) return { line, reason: `has an unknown field: ${JSON.stringify(key.slice(0, 60))}` }
    if (field in values) return { line, reason: `names the field ${field} twice` }
    values[field] = inner
  }
  return { line, values }
}
