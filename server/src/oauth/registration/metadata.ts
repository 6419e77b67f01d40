import { PERSONAL_SCOPES, SCOPE } from '../../applications/clients/rules.ts'
import type { ClientAuthMethod, ClientKind, PublicKeySet } from '../../db/tables.ts'
import { OAuthError, type OAuthErrorCode } from '../../errors.ts'
import { isPlainLine } from '../../lib/text.ts'
import { DEVICE_CODE_GRANT } from '../schema.ts'
import { parseScope } from '../scopes.ts'

/**
 * The settings of a client that registers itself. The rules for clients of administrators apply to them too. `schema.ts`
 * describes the members that they come from, and `information.ts` returns them.
 */
export interface RegisteredSettings {
  kind: ClientKind
  name: string
  redirectUris: string[]
  postLogoutRedirectUris: string[]
  allowedOrigins: string[]
  scopes: string[]
  requirePushedRequests: boolean
  requireSignedRequests: boolean
  requireDpop: boolean
  tokenEndpointAuthMethod: ClientAuthMethod
  jwks: PublicKeySet | null
  jwksUri: string | null
  backchannelLogoutUri: string | null
}

export interface Metadata {
  settings: RegisteredSettings
  /** It registered client_secret_post. */
  postsSecret: boolean
}

/** The members of the request. Null means the same as a missing member (RFC 7592 §2.2). */
export type Members = Record<string, unknown>

const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt'] as const
type AuthMethod = (typeof AUTH_METHODS)[number]

const STORED_METHODS: Record<AuthMethod, ClientAuthMethod> = {
  none: 'none',
  client_secret_basic: 'client_secret',
  client_secret_post: 'client_secret',
  private_key_jwt: 'private_key_jwt',
}

const GRANT_TYPES = ['authorization_code', 'refresh_token']

/** Reads and checks what is not checked for every client (RFC 7591 §2). Unknown members are ignored. */
export function readMetadata(members: Members): Metadata {
  if (isPresent(members.software_statement)) {
    throw new OAuthError('unapproved_software_statement', 'Software statements are not supported.')
  }
  const redirectUris = readTexts(members, 'redirect_uris', 'invalid_redirect_uri') ?? []
  const [first] = redirectUris
  if (first === undefined) throw new OAuthError('invalid_redirect_uri', 'The member redirect_uris is required.')
  if (readTexts(members, 'response_types')?.some((type) => type !== 'code')) {
    throw refuse('response_types', 'must be code')
  }
  const method = readAuthMethod(members)
  const isPublic = method === 'none'
  // A client may list keys that it uses for something else.
  const requireSignedRequests = readFlag(members, 'require_signed_request_object')
  // Every logout token has a sid, so nothing depends on this.
  readFlag(members, 'backchannel_logout_session_required')
  const usesKeys = method === 'private_key_jwt' || requireSignedRequests
  return {
    postsSecret: method === 'client_secret_post',
    settings: {
      kind: isPublic ? 'SPA' : 'WEB',
      name: readName(members) ?? nameFrom(first),
      redirectUris,
      postLogoutRedirectUris: readTexts(members, 'post_logout_redirect_uris') ?? [],
      allowedOrigins: isPublic ? originsOf(redirectUris) : [],
      scopes: readScopes(members),
      requirePushedRequests: readFlag(members, 'require_pushed_authorization_requests'),
      requireSignedRequests,
      requireDpop: readFlag(members, 'dpop_bound_access_tokens'),
      tokenEndpointAuthMethod: STORED_METHODS[method],
      jwks: usesKeys ? readKeys(members) : null,
      jwksUri: usesKeys ? (readText(members, 'jwks_uri') ?? null) : null,
      backchannelLogoutUri: readText(members, 'backchannel_logout_uri') ?? null,
    },
  }
}

const isPresent = (value: unknown) => value !== undefined && value !== null

const refuse = (member: string, problem: string, code: OAuthErrorCode = 'invalid_client_metadata') =>
  new OAuthError(code, `The member ${member} ${problem}.`)

function readText(members: Members, name: string): string | undefined {
  const value = members[name]
  if (!isPresent(value)) return undefined
  if (typeof value !== 'string') throw refuse(name, 'must be a string')
  return value
}

function readTexts(members: Members, name: string, code?: OAuthErrorCode): string[] | undefined {
  const value = members[name]
  if (!isPresent(value)) return undefined
  if (!Array.isArray(value) || value.some((entry) => typeof entry !== 'string')) {
    throw refuse(name, 'must be an array of strings', code)
  }
  return value
}

function readFlag(members: Members, name: string): boolean {
  const value = members[name]
  if (isPresent(value) && typeof value !== 'boolean') throw refuse(name, 'must be true or false')
  return value === true
}

function readKeys({ jwks }: Members): PublicKeySet | null {
  if (!isPresent(jwks)) return null
  const { keys } = jwks as { keys?: unknown }
  // The rules for clients check each key.
  if (!Array.isArray(keys)) throw refuse('jwks', 'must be a JWK Set')
  return { keys }
}

function readAuthMethod(members: Members): AuthMethod {
  const name = readText(members, 'token_endpoint_auth_method') ?? 'client_secret_basic'
  const method = AUTH_METHODS.find((known) => known === name)
  if (!method) throw refuse('token_endpoint_auth_method', `must be one of ${AUTH_METHODS.join(', ')}`)
  return method
}

function readName(members: Members): string | undefined {
  const name = readText(members, 'client_name')
  if (name !== undefined && !isPlainLine(name)) throw refuse('client_name', 'must be one line of plain text')
  return name
}

/** The host of a web address, or the scheme of a native app, which is a domain name in reverse. */
function nameFrom(redirectUri: string): string {
  if (!URL.canParse(redirectUri)) return 'A client without a name'
  const { hostname, protocol } = new URL(redirectUri)
  return (hostname || protocol.slice(0, -1)).slice(0, 100)
}

/** Where the pages of a public client are served, which call the token endpoint. */
const originsOf = (redirectUris: string[]): string[] => [
  ...new Set(redirectUris.flatMap((uri) => (URL.canParse(uri) && /^https?:/i.test(uri) ? [new URL(uri).origin] : []))),
]

/**
 * The scopes that are for the client itself. Those of resources are decided for each authorization, so they are left
 * out. A client has offline_access if and only if it registers the grant type refresh_token.
 */
function readScopes(members: Members): string[] {
  const scope = readText(members, 'scope')
  const requested = scope === undefined ? PERSONAL_SCOPES : parseScope(scope)
  if (!requested.every((one) => SCOPE.test(one))) throw refuse('scope', 'must be scopes separated by spaces')
  const scopes = requested.filter((one) => PERSONAL_SCOPES.includes(one) && one !== 'offline_access')
  const wantsRefresh = scope !== undefined && requested.includes('offline_access')
  const grantTypes = readGrantTypes(members) ?? (wantsRefresh ? GRANT_TYPES : ['authorization_code'])
  return grantTypes.includes('refresh_token') ? [...scopes, 'offline_access'] : scopes
}

function readGrantTypes(members: Members): string[] | undefined {
  // Some clients register every grant type of the provider that they can use. Devices are the operator's decision.
  const grantTypes = readTexts(members, 'grant_types')?.filter((type) => type !== DEVICE_CODE_GRANT)
  if (grantTypes?.some((type) => !GRANT_TYPES.includes(type))) {
    throw refuse('grant_types', 'may only name authorization_code and refresh_token')
  }
  if (grantTypes && !grantTypes.includes('authorization_code')) {
    throw refuse('grant_types', 'must name authorization_code')
  }
  return grantTypes
}
