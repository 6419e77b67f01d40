/** A character that a parser of URLs would remove or replace. */
const UNUSUAL = /[^\x21-\x7e]|[\\"<>^`{|}]/
const WEB_ADDRESS = /^https?:\/\/[^/]/i

/** Whether `htu` is this address, without query and fragment, after normalization (RFC 9449 §4.3, RFC 3986 §6.2). */
export function isSameUri(htu: unknown, uri: string): boolean {
  const given = typeof htu === 'string' ? normalize(htu) : undefined
  return given !== undefined && given === normalize(uri)
}

function normalize(withQuery: string): string | undefined {
  const [address = ''] = withQuery.split(/[?#]/, 1)
  if (UNUSUAL.test(address) || !WEB_ADDRESS.test(address) || !URL.canParse(address)) return undefined
  const { origin, pathname, username, password } = new URL(address)
  return username === '' && password === '' ? origin + pathname.replace(/%[0-9a-f]{2}/gi, normalizeEscape) : undefined
}

/** Characters that need no escape are equal to their escape. */
function normalizeEscape(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
  return /[A-Za-z0-9._~-]/.test(character) ? character : escaped.toUpperCase()
}
