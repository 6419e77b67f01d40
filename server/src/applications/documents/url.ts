import type { Config } from '../../config.ts'
import { findUrlProblem } from '../../lib/outgoing/url.ts'

const MAX_LENGTH = 250
/** The host is shown to users as a whole: the end of a long name says whose it is. */
const MAX_HOST_LENGTH = 120
/** Of https. Tests use http, with a port. */
const DEFAULT_PORT = '443'

/** Whether a client id is meant to be the URL of a document. */
export const isDocumentUrl = (clientId: string): boolean => /^https?:\/\//i.test(clientId)

/**
 * Why this URL cannot be a client id: "must …" (draft-ietf-oauth-client-id-metadata-document, Client Identifier URL). It
 * is compared as text, so only the spelling that URL parsers write is accepted. That has no dot segments.
 */
export function findDocumentUrlProblem({ outsideClients }: Config, text: string): string | undefined {
  if (text.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`
  const problem = findUrlProblem(outsideClients, text)
  if (problem) return problem
  const { href, host, pathname } = new URL(text)
  if (host.length > MAX_HOST_LENGTH) return `must have a host of at most ${MAX_HOST_LENGTH} characters`
  if (pathname === '/') return 'must have a path'
  if (text.includes('?')) return 'must not have a query'
  if (href !== text)
    return 'must be written in the usual way, without dot segments, capitals in the host and default ports'
  return undefined
}

/** Off, denied, or new authorizations are not allowed. Tokens of a client that is only not allowed go on working. */
export type HostRule = 'off' | 'denied' | 'not-allowed' | 'allowed'

export function ruleOfHost({ clientDocuments }: Pick<Config, 'clientDocuments'>, url: string): HostRule {
  const { mode, allowedHosts, deniedHosts } = clientDocuments
  if (mode === 'off') return 'off'
  if (!URL.canParse(url)) return 'denied'
  const { hostname, port } = new URL(url)
  // A trailing dot is another spelling of the same name.
  const address = { host: hostname.replace(/\.$/, ''), port: port === '' ? DEFAULT_PORT : port }
  if (deniedHosts.some((entry) => matches(entry, address, address.port))) return 'denied'
  return mode === 'on' || allowedHosts.some((entry) => matches(entry, address, DEFAULT_PORT))
    ? 'allowed'
    : 'not-allowed'
}

/** Whether a client with this id may get tokens, if a user has allowed it. */
export const isAcceptedDocumentUrl = (config: Config, clientId: string): boolean =>
  isDocumentUrl(clientId) &&
  clientId.length <= MAX_LENGTH &&
  ['allowed', 'not-allowed'].includes(ruleOfHost(config, clientId))

/** Whether an entry of a list names this address. `defaultPort` is that of an entry without one. */
function matches(entry: string, { host, port }: { host: string; port: string }, defaultPort: string): boolean {
  const [name = '', entryPort = defaultPort] = entry.split(':')
  return port === entryPort && (name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name)
}
