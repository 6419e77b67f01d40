import { escapeReference } from './environment.ts'
import type { Entry } from './section.ts'

/** Texts that need no quotes in YAML: no special characters and none of its reserved words. */
const PLAIN = /^[A-Za-z][A-Za-z0-9_@./+-]*(?: [A-Za-z0-9_@./+-]+)*$/
const RESERVED_WORDS = /^(?:true|false|yes|no|on|off|y|n|null|nan|inf)$/i
/** Characters that JSON does not escape but some YAML parsers reject or treat as line breaks. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029\ufeff]/g
const PLAIN_KEY = /^[A-Za-z][A-Za-z0-9_-]*$/

/** A list item with an indentation of two: one line per field, and one line per item of a list of two or more. */
export function writeEntry(entry: Entry): string {
  const fields = Object.entries(entry).map(([key, value]) => `${writeKey(key)}:${writeField(value)}`)
  return `  - ${fields.join('\n    ')}\n`
}

function writeField(value: unknown): string {
  if (!Array.isArray(value) || value.length < 2) return ` ${writeValue(value)}`
  return value.map((item) => `\n      - ${writeValue(item)}`).join('')
}

/** Flow style, on one line. */
function writeValue(value: unknown): string {
  if (typeof value === 'string') return writeText(escapeReference(value))
  if (Array.isArray(value)) return `[${value.map(writeValue).join(', ')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, inner]) => `${writeKey(key)}: ${writeValue(inner)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

const writeKey = (key: string) => (PLAIN_KEY.test(key) && !RESERVED_WORDS.test(key) ? key : quote(key))
const writeText = (text: string) => (PLAIN.test(text) && !RESERVED_WORDS.test(text) ? text : quote(text))

const quote = (text: string) =>
  JSON.stringify(text).replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
