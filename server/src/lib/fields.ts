import { isCleanText } from './text.ts'

/** Named values as queries and forms carry them. A name that came twice has no one meaning, so it has no value. */
export interface Fields {
  /** Undefined when absent, empty (which RFC 6749 §3.1 takes for absent), or sent twice. */
  get(name: string): string | undefined
  readonly repeated: readonly string[]
  toObject(): Record<string, string>
}

const MOST_FIELDS = 200

/** Reads `a=1&b=2`; undefined for what is no percent-encoded UTF-8, or more than anybody needs. */
export function parseFields(text: string): Fields | undefined {
  const values = new Map<string, string>()
  const repeated = new Set<string>()
  const pairs = text.split('&', MOST_FIELDS + 1)
  if (pairs.length > MOST_FIELDS) return undefined
  for (const pair of pairs) {
    if (pair === '') continue
    const cut = pair.indexOf('=')
    const name = decodeField(cut === -1 ? pair : pair.slice(0, cut))
    const value = decodeField(cut === -1 ? '' : pair.slice(cut + 1))
    if (name === undefined || value === undefined) return undefined
    if (values.has(name)) repeated.add(name)
    values.set(name, value)
  }
  for (const [name, value] of values) if (value === '' || repeated.has(name)) values.delete(name)
  return {
    get: (name) => values.get(name),
    repeated: [...repeated],
    // Without a prototype: a field may be called __proto__.
    toObject: () => Object.assign(Object.create(null), Object.fromEntries(values)),
  }
}

/** Fields from an object, as toObject gave it. */
export const toFields = (values: Record<string, string>): Fields => ({
  get: (name) => (Object.hasOwn(values, name) ? values[name] : undefined),
  repeated: [],
  toObject: () => values,
})

export const NO_FIELDS: Fields = toFields({})

const ESCAPED = /[%+]/

/** The value of a form-urlencoded text; undefined for what is none. */
export function decodeField(text: string): string | undefined {
  try {
    const value = ESCAPED.test(text) ? decodeURIComponent(text.replaceAll('+', ' ')) : text
    return isCleanText(value) ? value : undefined
  } catch {
    return undefined
  }
}
