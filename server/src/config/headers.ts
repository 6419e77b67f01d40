const HEADER = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x20-\x7e]*?)\s*$/

/** Parses headers such as `name=value`, separated by commas. Returns undefined for invalid text. */
export function parseHeaders(text: string): Record<string, string> | undefined {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '')
  const headers = pairs.map(toHeader).filter((header) => header !== undefined)
  return headers.length === pairs.length ? Object.fromEntries(headers) : undefined
}

/** Values are percent-encoded, as in W3C baggage. */
function toHeader(pair: string): [string, string] | undefined {
  const [, name, value] = HEADER.exec(pair) ?? []
  if (name === undefined || value === undefined) return undefined
  try {
    const decoded = decodeURIComponent(value)
    return /^[\x20-\x7e]*$/.test(decoded) ? [name, decoded] : undefined
  } catch {
    return undefined
  }
}
