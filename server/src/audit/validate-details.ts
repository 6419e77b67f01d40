import { type Action, getActionDefinition } from './catalog.ts'

interface EntryContent {
  action: Action
  details?: Record<string, unknown>
  personal?: Record<string, unknown>
}

/**
 * Throws unless the details of an entry match the schema in the catalog and repeat no personal data, which is erased
 * separately. It runs in strict mode only, which the tests use.
 */
export async function requireValidDetails({ action, details = {}, personal = {} }: EntryContent): Promise<void> {
  const { Value } = await import('typebox/value')
  const serialized: unknown = JSON.parse(JSON.stringify(details))
  const { details: schema } = getActionDefinition(action)
  if (schema ? !Value.Check(schema, serialized) : Object.keys(details).length > 0) {
    throw new Error(`the details of ${action} do not match the catalog: ${JSON.stringify(details)}`)
  }
  const personalTexts = new Set(textsOf(personal))
  const repeated = textsOf(serialized).find((text) => personalTexts.has(text))
  if (repeated !== undefined) throw new Error(`${action} has the personal "${repeated}" in its details`)
}

/** Every string in a value, except those too short to identify a person. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.length > 2 ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}
