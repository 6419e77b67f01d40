import type { IncomingHttpHeaders } from 'node:http'
import { parseJson } from '../../lib/json.ts'
import { parseName } from '../../lib/names.ts'
import { UnusableResponse } from '../../lib/outgoing/fetch-cache.ts'
import { isPlainLine } from '../../lib/text.ts'
import { redirectProblem } from '../clients/addresses.ts'
import { MAX_LIST_ENTRIES } from '../clients/rules.ts'

/** What a client says about itself in its document, as far as it is used. Its logo and its links are not. */
export interface ClientDocument {
  clientId: string
  /** What it calls itself. Anybody can claim any name. */
  name: string
  redirectUris: string[]
}

const JSON_TYPE = /^application\/(?:[a-z0-9.-]+\+)?json$/i
/** Nothing that both sides would have to keep secret can be in a public document. */
const SECRETS = ['client_secret', 'client_secret_expires_at']

/** Reads the document at a client id. Throws an UnusableResponse that says why it cannot be used. */
export function parseClientDocument(url: string, body: Buffer, headers: IncomingHttpHeaders): ClientDocument {
  const { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' } = headers
  require(JSON_TYPE.test(contentType.split(';')[0]?.trim() ?? ''), 'is not sent as application/json')
  require(encoding === 'identity', 'is compressed')
  const metadata = parseObject(body)
  const { client_id, client_name, redirect_uris } = metadata
  require(client_id === url, 'does not have its own URL as client_id')
  for (const secret of SECRETS) require(metadata[secret] === undefined, `has a ${secret}`)
  const { token_endpoint_auth_method: method = 'none' } = metadata
  require(method === 'none', 'has another token_endpoint_auth_method than none, which is not supported')
  requireMember(metadata, 'grant_types', 'authorization_code')
  requireMember(metadata, 'response_types', 'code')
  return { clientId: url, name: readName(url, client_name), redirectUris: readRedirectUris(url, redirect_uris) }
}

function require(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new UnusableResponse(problem)
}

function parseObject(body: Buffer): Record<string, unknown> {
  const result = parseJson(body)
  if (!result.ok) {
    const { kind, message } = result.problem
    throw new UnusableResponse(
      kind === 'value'
        ? 'has a member with a name or a value that is not allowed'
        : message.replace(/^The body /, '').replace(/\.$/, ''),
    )
  }
  const { value } = result
  require(typeof value === 'object' && value !== null && !Array.isArray(value), 'is not a JSON object')
  return value as Record<string, unknown>
}

/** A list that is left out has the default of RFC 7591 §2, which has the member. */
function requireMember(metadata: Record<string, unknown>, list: string, member: string): void {
  const value = metadata[list] ?? [member]
  require(Array.isArray(value) && value.includes(member), `does not have ${member} among its ${list}`)
}

function readName(url: string, name: unknown): string {
  if (name === undefined) return new URL(url).host
  require(typeof name === 'string' && isPlainLine(name), 'has a client_name that is not a line of text')
  const parsed = parseName(name)
  require(parsed !== undefined, 'has a client_name that is empty or too long')
  return parsed
}

/**
 * The redirect URIs that may be used: those of the origin of the document, because the user is told its host, and
 * loopback ones of native apps (RFC 8252). Other web addresses and private schemes are left out. One that no client could
 * register spoils the document.
 */
function readRedirectUris(url: string, uris: unknown): string[] {
  require(Array.isArray(uris) && uris.length > 0, 'has no redirect_uris')
  require(uris.length <= MAX_LIST_ENTRIES, `has more than ${MAX_LIST_ENTRIES} redirect_uris`)
  const texts = uris.map((uri: unknown) => {
    require(typeof uri === 'string', 'has redirect_uris that are not texts')
    const problem = redirectProblem(uri, 'SPA')
    require(problem === undefined, `has a redirect URI that ${problem}`)
    return uri
  })
  const { origin } = new URL(url)
  const usable = texts.filter((uri) => new URL(uri).origin === origin || isLoopbackRedirect(uri))
  require(usable.length > 0, 'has no redirect URI of its own origin or of this computer')
  return [...new Set(usable)]
}

/** Any program on the computer of the user may receive what is sent to a loopback address. */
export const isLoopbackRedirect = (uri: string): boolean => new URL(uri).protocol === 'http:'
