import { isDeepStrictEqual } from 'node:util'

type State = Record<string, unknown>

/** The changed fields with their values before and after; undefined when nothing has changed. */
export function findChanges<S extends State>(
  before: S,
  after: S,
): { before: Partial<S>; after: Partial<S> } | undefined {
  const changed = Object.keys(after).filter((key) => !isDeepStrictEqual(before[key], after[key]))
  if (changed.length === 0) return undefined
  const pick = (state: S) => Object.fromEntries(changed.map((key) => [key, state[key]])) as Partial<S>
  return { before: pick(before), after: pick(after) }
}
