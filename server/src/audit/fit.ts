import { type Action, kindOf } from './catalogue.ts'

interface Said {
  action: Action
  details: Record<string, unknown>
  personal: Record<string, unknown>
}

/**
 * What an entry says must be what the catalogue says of its kind, and its details must not repeat what is to be
 * forgotten one day. Asked in tests alone, over all of which it makes the catalogue true.
 */
export async function requireFit({ action, details, personal }: Said): Promise<void> {
  const { Value } = await import('typebox/value')
  const kept: unknown = JSON.parse(JSON.stringify(details))
  const { details: schema } = kindOf(action)
  if (schema ? !Value.Check(schema, kept) : Object.keys(details).length > 0) {
    throw new Error(`${action} says ${JSON.stringify(details)}, which its kind in the catalogue does not`)
  }
  const names = new Set(textsOf(personal))
  const repeated = textsOf(kept).find((text) => names.has(text))
  if (repeated !== undefined) throw new Error(`${action} has the personal "${repeated}" in its details`)
}

/** Every text in a value, but for those too short to tell of anybody. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.length > 2 ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}
