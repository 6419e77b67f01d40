import type { ClientKind } from '../../db/tables.ts'
import { t } from '../../languages/translate.ts'

/**
 * The URIs that a client registers. They are stored and compared as exact text, so every parser must read the text as
 * the same URI. A text that browsers would normalize or repair is refused.
 */

const MAX_URI_LENGTH = 2_000
/** The characters of RFC 3986 and complete escapes, but no `#` (a fragment) and no `*` (often meant as a wildcard). */
const CHARACTERS = /^(?:[A-Za-z0-9\-._~:/?[\]@!$&'()+,;=]|%[0-9A-Fa-f]{2})+$/
const WEB_ADDRESS = /^https?:\/\/([^/?]+)(?:[/?]|$)/i
/** A private-use scheme is a reversed domain name, so it contains a dot (RFC 8252 §7.1). */
const PRIVATE_USE_ADDRESS = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\//i
/** Host names and IP addresses in their usual notation, which are also safe in an HTTP header. */
const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Why this is not a valid redirect URI; undefined when it is. */
export function redirectProblem(text: string, kind: ClientKind): string | undefined {
  if (text.length > MAX_URI_LENGTH) return t('must have at most {max} characters', { max: MAX_URI_LENGTH })
  if (text.includes('#')) return t('must not have a fragment')
  if (text.includes('*')) return t('must be a whole address, without a wildcard')
  if (!CHARACTERS.test(text)) return t('has a character that is not allowed in an address')
  if (!URL.canParse(text)) return t('must be an absolute address')
  if (PRIVATE_USE_ADDRESS.test(text)) {
    return kind === 'SPA' ? undefined : t('must start with https://: only SPA clients may use private schemes')
  }
  return webAddressProblem(text)
}

function webAddressProblem(text: string): string | undefined {
  const [, authority] = WEB_ADDRESS.exec(text) ?? []
  if (authority === undefined) return t('must start with https://')
  if (authority.includes('@')) return t('must not name a user')
  const { protocol, hostname } = new URL(text)
  // Parsers disagree on other notations of a host, such as decimal numbers and escapes.
  if (authority.replace(/:\d*$/, '').toLowerCase() !== hostname || !HOST.test(hostname)) {
    return t('must have its host in the usual notation')
  }
  if (protocol === 'http:' && !LOOPBACK.test(hostname))
    return t('must start with https:// unless its host is localhost')
  return undefined
}

/** Why this is not a valid origin; undefined when it is. */
export function originProblem(text: string): string | undefined {
  if (text.includes('*')) return t('must be a whole origin, without a wildcard')
  if (!URL.canParse(text) || new URL(text).origin !== text || !CHARACTERS.test(text)) {
    return t('must be an origin exactly as browsers write it, such as https://app.example.com')
  }
  return redirectProblem(text, 'WEB')
}

/** Rejects texts that cannot be registered, without a query. */
export const isUriLike = (text: string): boolean =>
  text.length <= MAX_URI_LENGTH && CHARACTERS.test(text) && text.includes(':/')
