/** A request as Express, Fastify, Node.js and the Fetch API have it. */
export interface TokenRequest {
  method?: string | undefined
  url?: string | undefined
  /** Express and Fastify: `url` as it was before a router or a hook changed it. */
  originalUrl?: string | undefined
  headers: { get(name: string): string | null } | Record<string, string | string[] | undefined>
}

/** A character that a parser of URLs would remove or replace. */
const UNUSUAL = /[^\x21-\x7e]|[\\"<>^`{|}]/
const WEB_ADDRESS = /^https?:\/\/[^/]/i

/**
 * The address of a request as its sender knows it, normalized. The Host header is not used, because the sender chooses
 * it: a proof for another API would be accepted.
 */
export function findAddress(baseUrl: string, { originalUrl, url = '' }: TokenRequest): string | undefined {
  const target = originalUrl ?? url
  const path = target.startsWith('/') ? target : URL.canParse(target) ? new URL(target).pathname : undefined
  return path === undefined ? undefined : normalizeAddress(baseUrl.replace(/\/$/, '') + path)
}

/** Without query and fragment, in the one spelling that is compared (RFC 9449 §4.3, RFC 3986 §6.2). */
export function normalizeAddress(uri: string): string | undefined {
  const [address = ''] = uri.split(/[?#]/, 1)
  if (UNUSUAL.test(address) || !WEB_ADDRESS.test(address) || !URL.canParse(address)) return undefined
  const { origin, pathname, username, password } = new URL(address)
  return username === '' && password === '' ? origin + pathname.replace(/%[0-9a-f]{2}/gi, normalizeEscape) : undefined
}

/** Characters that need no escape are equal to their escape. */
function normalizeEscape(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
  return /[A-Za-z0-9._~-]/.test(character) ? character : escaped.toUpperCase()
}
