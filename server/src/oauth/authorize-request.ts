import type { FastifyRequest } from 'fastify'
import { isRegisteredRedirectUri } from '../applications/clients/loopback.ts'
import { type Client, findClient } from '../applications/clients.ts'
import { isDocumentUrl } from '../applications/documents/url.ts'
import type { Resource } from '../applications/resources.ts'
import type { Ctx } from '../context.ts'
import type { PkceMethod, RequestedClaims, ResponseMode } from '../db/tables.ts'
import { AppError, OAuthError } from '../errors.ts'
import { t, translatable } from '../languages/translate.ts'
import { decodeBase64Url } from '../lib/base64url.ts'
import type { Fields } from '../lib/fields.ts'
import { type AcrRequest, toReturnedAcr } from './acr.ts'
import { intersect, limitClaims, NO_CLAIMS, readClaimsRequest } from './claims-parameter.ts'
import { requireDocumentClient } from './document-clients.ts'
import { findIdTokenHint } from './id-token-hint.ts'
import { isChallenge, isPkceMethod } from './pkce.ts'
import { logRefusal } from './refusals.ts'
import { invalidTarget, requireResource, scopesOpenTo, scopesWithin } from './resources.ts'
import { MACHINE_SCOPE, parseScope } from './scopes.ts'

/** Where the response is sent. It is validated first, because errors are sent there too. */
export interface RedirectTarget {
  client: Client
  redirectUri: string
  responseMode: ResponseMode
  state: string | undefined
}

const PROMPTS = ['none', 'login', 'consent', 'select_account'] as const
type Prompt = (typeof PROMPTS)[number]

/** A valid authorization request. */
export interface AuthorizeRequest extends RedirectTarget {
  scopes: string[]
  /** The API that the tokens are for; undefined for the application itself. */
  resource: Resource | undefined
  nonce: string | undefined
  challenge: { value: string; method: PkceMethod } | undefined
  prompts: Prompt[]
  maxAge: number | undefined
  loginHint: string | undefined
  /** The response must be about one of these users. Undefined: about anybody. */
  expectedUserIds: string[] | undefined
  /** Claims about the user that it requests by name. */
  claims: RequestedClaims
  acr: AcrRequest | undefined
  tenantSlug: string | undefined
  /** The thumbprint of the key that the code is bound to (RFC 9449 §10). */
  jkt: string | undefined
}

const MAX_NONCE_LENGTH = 2048

/** RFC 6749 §4.1.2.1: with an invalid client or redirect_uri the error is shown on a page and not redirected. */
export async function readRedirectTarget(ctx: Ctx, request: FastifyRequest, fields: Fields): Promise<RedirectTarget> {
  try {
    return await findRedirectTarget(ctx, request, fields)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    logRefusal(request, fields.get('client_id'), error)
    throw new AppError('INVALID_REQUEST', {
      message: t('The application sent a sign-in request that cannot be answered: {problem}.', {
        problem: t(error.message),
      }),
    })
  }
}

/** Throws an OAuthError whose message says what is wrong with the request: "its …". */
export async function findRedirectTarget(ctx: Ctx, request: FastifyRequest, fields: Fields): Promise<RedirectTarget> {
  const clientId = fields.get('client_id')
  const invalidTarget = (reason: string, facts: Record<string, unknown> = {}) =>
    new OAuthError('invalid_request', reason, { facts })
  if (fields.repeated.includes('client_id')) throw invalidTarget(translatable('it has client_id more than once'))
  if (fields.repeated.includes('redirect_uri')) throw invalidTarget(translatable('it has redirect_uri more than once'))
  const client = clientId === undefined ? undefined : await findAuthorizingClient(ctx, request, clientId)
  if (!client || client.disabled) {
    const problem = client ? 'disabled_client' : 'unknown_client'
    throw invalidTarget(translatable('its client_id is not that of a registered application'), { problem })
  }
  const redirectUri = fields.get('redirect_uri')
  const { redirectUris: registered } = client
  if (redirectUri === undefined || !isRegisteredRedirectUri(registered, redirectUri)) {
    const reason = translatable('its redirect_uri is not registered for the application')
    throw invalidTarget(reason, { redirectUri, registered })
  }
  return { client, redirectUri, responseMode: readResponseMode(client, fields), state: fields.get('state') }
}

/** A client that is described by a document is as its document says now. */
const findAuthorizingClient = (ctx: Ctx, request: FastifyRequest, clientId: string): Promise<Client | undefined> =>
  isDocumentUrl(clientId) ? requireDocumentClient(ctx, request, clientId) : findClient(ctx, clientId)

/** An error about the response mode itself is sent in the redirect URL. */
const readResponseMode = ({ responseModes }: Client, fields: Fields): ResponseMode =>
  fields.get('response_mode') === 'form_post' && responseModes.includes('form_post') ? 'form_post' : 'query'

/** Parses the rest of the request. Throws an OAuthError for the client. */
export async function readAuthorizeRequest(
  ctx: Ctx,
  target: RedirectTarget,
  fields: Fields,
): Promise<AuthorizeRequest> {
  if (fields.repeated.includes('resource')) throw invalidTarget('Only one resource can be requested at a time.')
  if (fields.repeated.length > 0) throw invalid('A parameter was sent more than once.')
  const { client } = target
  refuseUnsupported(client, fields)
  const resource = await readResource(ctx, client, fields.get('resource'))
  // Unknown scopes are ignored (RFC 6749 §3.3); the token response says what was granted.
  requireOwnPurpose(client, resource, fields.get('scope'))
  const open = scopesOpenTo(client, resource)
  const allowed = parseScope(fields.get('scope')).filter((scope) => open.includes(scope) && scope !== MACHINE_SCOPE)
  const scopes = scopesWithin(allowed, resource)
  const nonce = fields.get('nonce')
  if (scopes.includes('openid') && nonce === undefined && client.requireNonce) {
    throw invalid(
      'The parameter nonce is required with the scope openid. For software that cannot send one, an operator can turn ' +
        'this off for the client: Require a nonce in the console, requireNonce in the API, or latchkey client create ' +
        '--no-require-nonce.',
    )
  }
  if (nonce !== undefined && nonce.length > MAX_NONCE_LENGTH) throw invalid('The nonce is too long.')
  const { claims, subjects, acr } = readClaimsRequest(fields.get('claims'), fields.get('acr_values'))
  return {
    ...target,
    scopes,
    resource,
    nonce,
    challenge: readChallenge(client, fields),
    prompts: readPrompts(fields.get('prompt')),
    maxAge: readMaxAge(fields.get('max_age')),
    loginHint: fields.get('login_hint'),
    expectedUserIds: intersect(await readHint(ctx, client, fields.get('id_token_hint')), subjects),
    // Without openid there is neither an ID token nor userinfo.
    claims: scopes.includes('openid') ? { ...limitClaims(claims, client.scopes), acr: toReturnedAcr(acr) } : NO_CLAIMS,
    acr,
    tenantSlug: fields.get('tenant'),
    jkt: readThumbprint(fields.get('dpop_jkt')),
  }
}

const readResource = async (ctx: Ctx, client: Client, uri: string | undefined): Promise<Resource | undefined> =>
  uri === undefined ? undefined : requireResource(ctx, client, uri)

/** The application of a client that no administrator registered has no API, so without a resource it can only sign in. */
function requireOwnPurpose({ origin }: Client, resource: Resource | undefined, scope: string | undefined): void {
  if (origin === 'ADMIN' || resource || parseScope(scope).includes('openid')) return
  throw invalidTarget(
    'This client must name the API that it wants to use in the parameter resource, or sign in with the scope openid.',
  )
}

const invalid = (description: string) => new OAuthError('invalid_request', description)

function refuseUnsupported({ responseModes }: Client, fields: Fields): void {
  // RFC 9101 §5: only one of them.
  if (fields.get('request') !== undefined && fields.get('request_uri') !== undefined) {
    throw invalid('The parameters request and request_uri exclude each other.')
  }
  // OpenID Connect Core §6.
  if (fields.get('request') !== undefined) {
    throw new OAuthError(
      'request_not_supported',
      'A request object must be signed with a registered key of the client.',
    )
  }
  if (fields.get('request_uri') !== undefined) {
    throw new OAuthError('request_uri_not_supported', 'A request_uri must be one of a pushed request.')
  }
  const responseType = fields.get('response_type')
  if (responseType === undefined) throw invalid('The parameter response_type is missing.')
  if (responseType !== 'code') {
    throw new OAuthError('unsupported_response_type', 'The response_type must be code.')
  }
  const responseMode = fields.get('response_mode') ?? 'query'
  if (!responseModes.some((mode) => mode === responseMode)) {
    throw invalid(`The response_mode must be ${responseModes.join(' or ')}, as set for the client.`)
  }
}

function readChallenge(client: Client, fields: Fields): AuthorizeRequest['challenge'] {
  const value = fields.get('code_challenge')
  const requestedMethod = fields.get('code_challenge_method')
  if (value === undefined) {
    if (requestedMethod !== undefined) throw invalid('A code_challenge_method came without a code_challenge.')
    if (client.kind === 'SPA' || client.securityProfile === 'FAPI2') {
      throw invalid('The parameter code_challenge is required for this client.')
    }
    return undefined
  }
  if (requestedMethod === undefined && client.kind === 'SPA') {
    throw invalid('The parameter code_challenge_method is required for this client.')
  }
  // RFC 7636 §4.3: the default method is plain.
  const method = requestedMethod ?? 'plain'
  if (!isPkceMethod(method) || !client.pkceMethods.includes(method)) {
    throw invalid(`The code_challenge_method must be ${client.pkceMethods.join(' or ')}.`)
  }
  if (!isChallenge(value, method)) throw invalid('The code_challenge is not valid for its method.')
  return { value, method }
}

function readPrompts(text: string | undefined): Prompt[] {
  const prompts = parseScope(text).map((word) => {
    const match = PROMPTS.find((prompt) => prompt === word)
    if (!match) throw invalid(`The prompt must be one of ${PROMPTS.join(', ')}.`)
    return match
  })
  if (prompts.includes('none') && prompts.length > 1) throw invalid('The prompt none cannot be combined.')
  return prompts
}

function readMaxAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,10}$/.test(text)) throw invalid('The max_age must be a number of seconds.')
  return Number(text)
}

/** A SHA-256 thumbprint as base64url. */
function readThumbprint(text: string | undefined): string | undefined {
  if (text !== undefined && decodeBase64Url(text)?.length !== 32) {
    throw invalid('The dpop_jkt must be the SHA-256 thumbprint of a key.')
  }
  return text
}

async function readHint(ctx: Ctx, client: Client, token: string | undefined): Promise<string[] | undefined> {
  if (token === undefined) return undefined
  const hint = await findIdTokenHint(ctx, token)
  if (hint?.clientId !== client.clientId) throw invalid('The id_token_hint is not one that this client was given.')
  return [hint.userId]
}
