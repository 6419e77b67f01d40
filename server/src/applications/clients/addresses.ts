import type { ClientKind } from '../../db/tables.ts'

/**
 * Addresses that a client registers. They are kept and later compared as the exact text, so a text must mean the
 * same address to us, to browsers and to every other reader: nothing that one of them would mend is taken.
 */

const LONGEST_ADDRESS = 2_000
/** The characters of RFC 3986 and whole escapes; no `#`, which begins a fragment, and no `*`, which means nothing. */
const CHARACTERS = /^(?:[A-Za-z0-9\-._~:/?[\]@!$&'()+,;=]|%[0-9A-Fa-f]{2})+$/
const WEB_ADDRESS = /^https?:\/\/([^/?]+)(?:[/?]|$)/i
/** A scheme of an app's own has a dot in it, as the reversed name of a domain has (RFC 8252 §7.1). */
const PRIVATE_USE_ADDRESS = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\//i
/** Names and addresses as everybody writes them: nothing that could mean something else in a header. */
const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Why people cannot be sent to this address; undefined when they can. */
export function redirectProblem(text: string, kind: ClientKind): string | undefined {
  if (text.length > LONGEST_ADDRESS) return `must have at most ${LONGEST_ADDRESS} characters`
  if (text.includes('#')) return 'must not have a fragment'
  if (text.includes('*')) return 'must be a whole address, without a wildcard'
  if (!CHARACTERS.test(text)) return 'has a character that cannot stand in an address'
  if (!URL.canParse(text)) return 'must be an absolute address'
  if (PRIVATE_USE_ADDRESS.test(text)) {
    return kind === 'SPA' ? undefined : 'must start with https://: only SPA clients have schemes of their own'
  }
  return webAddressProblem(text)
}

function webAddressProblem(text: string): string | undefined {
  const [, authority] = WEB_ADDRESS.exec(text) ?? []
  if (authority === undefined) return 'must start with https://'
  if (authority.includes('@')) return 'must not name a user'
  const { protocol, hostname } = new URL(text)
  // Other spellings of a host (numbers, escapes) are read differently by different programs.
  if (authority.replace(/:\d*$/, '').toLowerCase() !== hostname || !HOST.test(hostname)) {
    return 'must name its host in the usual way'
  }
  if (protocol === 'http:' && !LOOPBACK.test(hostname)) return 'must start with https:// beyond this machine'
  return undefined
}

/** Why this cannot be the origin of a page; undefined when it can. */
export function originProblem(text: string): string | undefined {
  if (text.includes('*')) return 'must be a whole origin, without a wildcard'
  if (!URL.canParse(text) || new URL(text).origin !== text || !CHARACTERS.test(text)) {
    return 'must be an origin exactly as browsers write it, such as https://app.example.com'
  }
  return redirectProblem(text, 'WEB')
}

/** Whether a text can be among the registered ones at all. */
export const isAddressLike = (text: string): boolean =>
  text.length <= LONGEST_ADDRESS && CHARACTERS.test(text) && text.includes(':/')
