import { isCleanText } from './text.ts'

/** The parameters of a query or form. A repeated parameter is ambiguous and has no value. */
export interface Fields {
  /** Undefined if the field is absent, empty (RFC 6749 §3.1 treats that as absent) or repeated. */
  get(name: string): string | undefined
  readonly repeated: readonly string[]
  toObject(): Record<string, string>
}

const MAX_FIELDS = 200

/** Parses `a=1&b=2`. Returns undefined if it is not percent-encoded UTF-8 or has too many fields. */
export function parseFields(text: string): Fields | undefined {
  const values = new Map<string, string>()
  const repeated = new Set<string>()
  const pairs = text.split('&', MAX_FIELDS + 1)
  if (pairs.length > MAX_FIELDS) return undefined
  for (const pair of pairs) {
    if (pair === '') continue
    const separator = pair.indexOf('=')
    const name = decodeField(separator === -1 ? pair : pair.slice(0, separator))
    const value = decodeField(separator === -1 ? '' : pair.slice(separator + 1))
    if (name === undefined || value === undefined) return undefined
    if (values.has(name)) repeated.add(name)
    values.set(name, value)
  }
  for (const [name, value] of values) if (value === '' || repeated.has(name)) values.delete(name)
  return {
    get: (name) => values.get(name),
    repeated: [...repeated],
    // Without a prototype, because a field may be named __proto__.
    toObject: () => Object.assign(Object.create(null), Object.fromEntries(values)),
  }
}

/** The reverse of toObject. */
export const toFields = (values: Record<string, string>): Fields => ({
  get: (name) => (Object.hasOwn(values, name) ? values[name] : undefined),
  repeated: [],
  toObject: () => values,
})

export const NO_FIELDS: Fields = toFields({})

const ESCAPED = /[%+]/

/** Decodes one form-urlencoded value; undefined if it is invalid. */
export function decodeField(text: string): string | undefined {
  try {
    const value = ESCAPED.test(text) ? decodeURIComponent(text.replaceAll('+', ' ')) : text
    return isCleanText(value) ? value : undefined
  } catch {
    return undefined
  }
}
