import { escapeReference } from './environment.ts'
import type { Entry } from './section.ts'

/** Texts that YAML takes for themselves: no sign that means something, and none of its words. */
const PLAIN = /^[A-Za-z][A-Za-z0-9_@./+-]*(?: [A-Za-z0-9_@./+-]+)*$/
const WORDS = /^(?:true|false|yes|no|on|off|y|n|null|nan|inf)$/i
/** What JSON leaves as it is, and not every reader does. */
const UNFIT = /[\u007f-\u009f\u2028\u2029\ufeff]/g
const PLAIN_KEY = /^[A-Za-z][A-Za-z0-9_-]*$/

/** An entry of a list, two steps in: a line for each field, and one for each item of a long list. */
export function writeEntry(entry: Entry): string {
  const fields = Object.entries(entry).map(([key, value]) => `${writeKey(key)}:${writeField(value)}`)
  return `  - ${fields.join('\n    ')}\n`
}

function writeField(value: unknown): string {
  if (!Array.isArray(value) || value.length < 2) return ` ${writeValue(value)}`
  return value.map((item) => `\n      - ${writeValue(item)}`).join('')
}

/** A value on one line. */
function writeValue(value: unknown): string {
  if (typeof value === 'string') return writeText(escapeReference(value))
  if (Array.isArray(value)) return `[${value.map(writeValue).join(', ')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, inner]) => `${writeKey(key)}: ${writeValue(inner)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

const writeKey = (key: string) => (PLAIN_KEY.test(key) && !WORDS.test(key) ? key : quote(key))
const writeText = (text: string) => (PLAIN.test(text) && !WORDS.test(text) ? text : quote(text))

const quote = (text: string) =>
  JSON.stringify(text).replace(UNFIT, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
