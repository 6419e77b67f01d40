import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose'
import { type Auth, toAuth } from './auth.ts'
import { AuthError, type AuthErrorCode } from './auth-error.ts'
import { createChallenge, type Scheme } from './challenge.ts'
import { createProofCheck, type DpopOptions } from './dpop.ts'
import { createFeatureCheck } from './feature-check.ts'
import { createIntrospection, type IntrospectionOptions } from './introspection.ts'
import { ALGORITHMS, isUnavailable } from './keys.ts'
import type { TokenRequest } from './request-address.ts'
import type { ResourceOptions } from './resource-metadata.ts'

export interface LatchkeyOptions {
  /** The base URL of Latchkey, such as https://id.example.com. */
  issuer: string
  /** The id of your application. Tokens for other applications are refused. Not needed with `resource` or `audience`. */
  applicationId?: string
  /** Your API, if it is registered as a resource: the same as `audience`, and challenges name its metadata (RFC 9728). */
  resource?: ResourceOptions
  /** The URI of your API, if it is registered as a resource. Then only tokens for this resource are accepted. */
  audience?: string
  /** Check every token at Latchkey too, so that it is refused within a second of the end of its session or license. */
  introspection?: IntrospectionOptions
  /** Accepts tokens that are bound to a key (DPoP, RFC 9449). Not needed with `resource` or `audience`. */
  dpop?: DpopOptions
  /** Accept only tokens for this tenant. Default: every tenant. */
  tenantId?: string
  /** How long the result of a license check is reused, in seconds. Default: 5. */
  licenseCacheSeconds?: number
  fetch?: typeof fetch
}

export interface Latchkey {
  options: LatchkeyOptions
  /**
   * Verifies an access token. Throws an `AuthError` with status 401. If the claims have `cnf`, the token is bound to a key:
   * check the DPoP proof of the request as well, as `authenticate` does.
   */
  verify(token: string): Promise<Auth>
  /**
   * The same for the Authorization header of a request. A token that is bound to a key is accepted as DPoP, with the
   * proof of the request (RFC 9449). Without `request`, it is refused.
   */
  authenticate(authorization: string | null | undefined, request?: TokenRequest): Promise<Auth>
  /**
   * Whether the license of the user has the feature now. It asks Latchkey with the user's own token and reuses the
   * result for a few seconds. Throws an `AuthError` with status 503 if Latchkey cannot be reached. With `introspection`,
   * with a resource, or if the token is bound to a key, it reads the license of `auth` instead.
   */
  hasFeature(auth: Auth, feature: string): Promise<boolean>
  /** Throws an `AuthError` with status 403 unless the license has the feature. */
  requireLicense(auth: Auth, feature: string): Promise<void>
  /** Throws an `AuthError` with status 403 unless the user has one of the roles in the tenant. */
  requireRole(auth: Auth, ...roles: string[]): void
  /** Throws an `AuthError` with status 403 unless the token has the scope. */
  requireScope(auth: Auth, scope: string): void
}

/**
 * Verifies access tokens of one application and checks licenses.
 *
 * @example
 * const latchkey = createLatchkey({ issuer: 'http://localhost:3000', applicationId })
 * const auth = await latchkey.authenticate(request.headers.authorization, request)
 * await latchkey.requireLicense(auth, 'reports')
 */
export function createLatchkey(options: LatchkeyOptions): Latchkey {
  requireValues(options)
  const issuer = options.issuer.replace(/\/$/, '')
  const keys = createRemoteJWKSet(
    new URL(`${issuer}/api/oauth/jwks`),
    options.fetch && { [customFetch]: options.fetch },
  )
  const audience = options.resource?.uri ?? options.audience
  const challenge = createChallenge(options.resource)
  const introspect = createIntrospection({ ...options, issuer })

  const baseUrl = findBaseUrl(options)
  const checkProof = baseUrl === undefined ? undefined : createProofCheck({ ...options.dpop, baseUrl })

  type Refuse = (code: AuthErrorCode, message: string, cause?: unknown) => AuthError
  const refuseAs =
    (scheme: Scheme, offersDpop = false): Refuse =>
    (code, message, cause) =>
      new AuthError(code, message, { challenge: challenge({ scheme, error: code, offersDpop }), cause })

  async function verify(token: string, refuse: Refuse): Promise<Auth> {
    const auth = await verifyLocally(token, refuse)
    if (!introspect) return auth
    const current = await introspect(token)
    if (!current.active) throw refuse('invalid_token', 'The access token is no longer valid.')
    const { tenant_roles: roles = [], scope = '', license } = current
    // The client gets a token that states what is true now.
    if (auth.license && !license)
      throw refuse('invalid_token', 'The license in the access token has ended. Request a new token.')
    return { ...auth, roles, scopes: scope.split(' ').filter(Boolean), license }
  }

  async function verifyLocally(token: string, refuse: Refuse): Promise<Auth> {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience: audience ?? options.applicationId ?? '',
        // jose uses a key only for the algorithm that the key set states for it (RFC 8725 §3.1).
        algorithms: ALGORITHMS,
        // RFC 9068 §4: otherwise an ID token would be accepted as an access token.
        typ: 'at+jwt',
        requiredClaims: ['sub', 'exp', 'client_id'],
      })
      if (options.tenantId !== undefined && payload.tenant_id !== options.tenantId) {
        throw new errors.JWTClaimValidationFailed('the token is for another tenant', payload, 'tenant_id')
      }
      return toAuth(token, payload)
    } catch (error) {
      throw isUnavailable(error)
        ? new AuthError('unavailable', 'The keys of Latchkey cannot be read.', { cause: error })
        : refuse('invalid_token', 'The access token is not valid.', error)
    }
  }

  const { applicationId = '' } = options
  const checkNow = createFeatureCheck({ ...options, applicationId, issuer })

  async function hasFeature(auth: Auth, feature: string): Promise<boolean> {
    // Latchkey does not accept a token for another audience, or a bound one from us, who do not have the key.
    const isAccepted = audience === undefined && !isBound(auth)
    return isAccepted && !introspect ? checkNow(auth, feature) : (auth.license?.features.includes(feature) ?? false)
  }

  /** Without an error: another token does not help a caller without the role or the license. */
  const metadataChallenge = (auth: Auth) => options.resource && challenge({ scheme: schemeOf(auth), scopes: [] })

  return {
    options: { ...options, issuer },
    verify: (token) => verify(token, refuseAs('Bearer')),
    hasFeature,
    async authenticate(authorization, request) {
      const { scheme, token } = readToken(authorization)
      const offersDpop = checkProof !== undefined && request !== undefined
      if (token === undefined || (scheme === 'DPoP' && !offersDpop)) {
        const message = `Send an access token as Authorization: Bearer${offersDpop ? ' or DPoP' : ''}.`
        throw new AuthError('invalid_token', message, { challenge: challenge({ offersDpop }) })
      }
      const refuse = refuseAs(scheme, offersDpop)
      const auth = await verify(token, refuse)
      if (scheme === 'DPoP' && checkProof && request) await checkProof(auth, request, refuse)
      else if (isBound(auth))
        throw refuse('invalid_token', 'The access token is bound to a key, so it is not valid as Bearer.')
      return auth
    },
    async requireLicense(auth, feature) {
      if (!(await hasFeature(auth, feature)))
        throw new AuthError('license_required', `This needs a license with the feature ${feature}.`, {
          challenge: metadataChallenge(auth),
        })
    },
    requireRole(auth, ...roles) {
      if (auth.roles.some((role) => roles.includes(role))) return
      throw new AuthError('insufficient_scope', `This needs the role ${roles.join(' or ')}.`, {
        challenge: metadataChallenge(auth) ?? challenge({ scheme: schemeOf(auth), error: 'insufficient_scope' }),
      })
    },
    requireScope(auth, scope) {
      if (auth.scopes.includes(scope)) return
      throw new AuthError('insufficient_scope', `This needs the scope ${scope}.`, {
        // A client requests what the challenge names, so it also names what the client has.
        challenge: challenge({
          scheme: schemeOf(auth),
          error: 'insufficient_scope',
          scopes: [...auth.scopes, scope],
        }),
      })
    },
  }
}

/** Whether only the holder of a key may use the token (RFC 9449 §6). */
const isBound = ({ claims }: Auth): boolean => claims.cnf !== undefined

const schemeOf = (auth: Auth): Scheme => (isBound(auth) ? 'DPoP' : 'Bearer')

function readToken(authorization: string | null | undefined): { scheme: Scheme; token: string | undefined } {
  const [, scheme = '', token] = /^(Bearer|DPoP) +(\S+)$/i.exec(authorization ?? '') ?? []
  return { scheme: scheme.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer', token }
}

/** Where clients reach this server. Undefined if that is not known: then no proof can be checked. */
function findBaseUrl({ dpop, resource, audience }: LatchkeyOptions): string | undefined {
  const uri = dpop?.baseUrl ?? resource?.uri ?? audience ?? ''
  const isWebAddress = /^https?:/i.test(uri) && URL.canParse(uri)
  if (dpop && !isWebAddress) throw new TypeError('Set dpop.baseUrl to the web address of this server.')
  if (!isWebAddress) return undefined
  return dpop?.baseUrl ?? new URL(uri).origin
}

/**
 * An option from a variable that is not set would otherwise accept the tokens of every application or tenant, because an
 * absent value means that the claim is not checked.
 */
function requireValues(options: LatchkeyOptions): void {
  const { resource, introspection, dpop, issuer, applicationId, audience, tenantId } = options
  const isResource = resource !== undefined || 'audience' in options
  const values = {
    issuer,
    ...((!isResource || 'applicationId' in options) && { applicationId }),
    ...(resource && { 'resource.uri': resource.uri }),
    ...('audience' in options && { audience }),
    ...('tenantId' in options && { tenantId }),
    ...(dpop && 'baseUrl' in dpop && { 'dpop.baseUrl': dpop.baseUrl }),
    ...(introspection && {
      'introspection.clientId': introspection.clientId,
      'introspection.clientSecret': introspection.clientSecret,
    }),
  }
  for (const [name, value] of Object.entries(values))
    if (!value) throw new TypeError(`${name} is empty. Set it in the options of createLatchkey.`)
  if (resource && audience !== undefined) throw new TypeError('Set either resource or audience, not both.')
}
