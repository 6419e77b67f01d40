type Fields = Record<string, unknown>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What must be sent so that `before` becomes `after` (RFC 7396): what has gone is null, what is alike is left out. */
export function patchOf(before: Fields, after: Fields): Fields {
  const patch: [string, unknown][] = Object.keys(before)
    .filter((key) => !(key in after))
    .map((key) => [key, null])
  for (const [key, value] of Object.entries(after)) {
    const former = before[key]
    if (JSON.stringify(former) === JSON.stringify(value)) continue
    patch.push([key, isFields(former) && isFields(value) ? patchOf(former, value) : value])
  }
  return Object.fromEntries(patch)
}
