type Fields = Record<string, unknown>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The JSON merge patch (RFC 7396) that turns `before` into `after`. */
export function patchOf(before: Fields, after: Fields): Fields {
  const patch: [string, unknown][] = Object.keys(before)
    .filter((key) => !(key in after))
    .map((key) => [key, null])
  for (const [key, value] of Object.entries(after)) {
    const previous = before[key]
    if (JSON.stringify(previous) === JSON.stringify(value)) continue
    patch.push([key, isFields(previous) && isFields(value) ? patchOf(previous, value) : value])
  }
  return Object.fromEntries(patch)
}
