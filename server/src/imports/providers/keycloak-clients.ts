import type { RowProblem } from '../row.ts'
import type { ImportedClient } from './export.ts'
import { type Item, toObject, toText, toTexts, type Values } from './items.ts'

/** The clients that every realm has. */
const BUILT_IN = new Set([
  'account',
  'account-console',
  'admin-cli',
  'broker',
  'realm-management',
  'security-admin-console',
  'admin-permissions',
])

/** A client secret in an export of the console. */
const MASKED = /^\*+$/

/** Undefined for a client that is a part of Keycloak. */
export function readClient({ line, place, values }: Item): ImportedClient | RowProblem | undefined {
  const clientId = toText(values.clientId)
  if (clientId === undefined) return { line, place, reason: 'the client has no clientId' }
  if (BUILT_IN.has(clientId)) return undefined
  const problem = findProblem(values)
  if (problem !== undefined) return { line, place, reason: `the client ${clientId} ${problem}` }
  const kind = getKind(values)
  const losses: string[] = []
  const secret = kind === 'SPA' ? undefined : readSecret(values, losses)
  if (kind === 'WEB' && values.serviceAccountsEnabled === true) {
    losses.push('its service account is left out: register a MACHINE client')
  }
  const entry = {
    clientId,
    kind,
    name: toText(values.name) ?? clientId,
    disabled: values.enabled === false,
    ...(kind !== 'MACHINE' && readAddresses(values, losses)),
    ...(secret !== undefined && { secret }),
  }
  return { line, place, clientId, entry, losses }
}

function findProblem(values: Values): string | undefined {
  if (values.protocol !== undefined && values.protocol !== 'openid-connect')
    return `uses the protocol ${String(values.protocol)}, but only openid-connect is supported`
  if (values.bearerOnly === true) return 'only receives tokens, so it needs no client here'
  if (values.standardFlowEnabled === false && values.serviceAccountsEnabled !== true)
    return 'uses neither the authorization code flow nor client credentials'
  return undefined
}

function getKind(values: Values): 'SPA' | 'WEB' | 'MACHINE' {
  if (values.standardFlowEnabled === false) return 'MACHINE'
  return values.publicClient === true ? 'SPA' : 'WEB'
}

const MIN_SECRET_LENGTH = 32

function readSecret({ secret: value, clientAuthenticatorType: method }: Values, losses: string[]): string | undefined {
  const secret = toText(value)
  const isUsable = secret !== undefined && !MASKED.test(secret) && secret.length >= MIN_SECRET_LENGTH
  if (isUsable && (method === undefined || method === 'client-secret')) return secret
  losses.push(
    secret === undefined || MASKED.test(secret)
      ? 'it has no secret yet: run "latchkey client secret"'
      : 'its secret is left out, because it is too short or not used as a client secret: run "latchkey client secret"',
  )
  return undefined
}

/** Addresses are compared as exact text here, so an address with a wildcard is left out. */
function readAddresses(values: Values, losses: string[]) {
  const root = toText(values.rootUrl)
  const isWebRoot = root !== undefined && /^https?:/.test(root)
  const toAbsolute = (uri: string) => (uri.startsWith('/') && isWebRoot ? new URL(uri, root).href : uri)
  const withoutWildcards = (kind: string, uris: string[]) => {
    const whole = [...new Set(uris.map(toAbsolute))].filter((uri) => !uri.includes('*'))
    if (whole.length < new Set(uris).size) losses.push(`${kind} with a wildcard are left out: add the whole addresses`)
    return whole
  }
  const redirectUris = withoutWildcards('redirect URIs', toTexts(values.redirectUris))
  const logoutText = toText(toObject(values.attributes)['post.logout.redirect.uris']) ?? ''
  const logoutUris = logoutText.split('##').filter((uri) => uri !== '' && uri !== '-')
  const expand = (uris: string[], replacement: string[]) => uris.flatMap((uri) => (uri === '+' ? replacement : [uri]))
  const origins = redirectUris.filter((uri) => /^https?:/.test(uri)).map((uri) => new URL(uri).origin)
  return {
    redirectUris,
    postLogoutRedirectUris: withoutWildcards('logout addresses', expand(logoutUris, redirectUris)),
    allowedOrigins: withoutWildcards('origins', expand(toTexts(values.webOrigins), origins)),
  }
}
