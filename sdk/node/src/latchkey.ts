import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose'
import { type Auth, toAuth } from './auth.ts'
import { AuthError } from './auth-error.ts'
import { createFeatureCheck } from './feature-check.ts'

/** The algorithms that Latchkey signs with, each with keys of its own. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA']

export interface LatchkeyOptions {
  /** The base URL of Latchkey, such as https://id.example.com. */
  issuer: string
  /** The id of your application. Tokens for other applications are refused. */
  applicationId: string
  /** The URI of your API, if it is registered as a resource. Then only tokens for this resource are accepted. */
  audience?: string
  /** Accept only tokens for this tenant. Default: every tenant. */
  tenantId?: string
  /** How long the result of a license check is reused, in seconds. Default: 5. */
  licenseCacheSeconds?: number
  /** Where this API publishes its metadata (RFC 9728). It is named in the challenge of a 401. */
  resourceMetadataUrl?: string
  fetch?: typeof fetch
}

export interface Latchkey {
  options: LatchkeyOptions
  /**
   * Verifies an access token. Throws an `AuthError` with status 401. If the claims have `cnf`, the token is bound to a key:
   * check the DPoP proof of the request as well.
   */
  verify(token: string): Promise<Auth>
  /** The same for the Authorization header of a request. Refuses tokens that are bound to a key. */
  authenticate(authorization: string | null | undefined): Promise<Auth>
  /**
   * Whether the license of the user has the feature now. It asks Latchkey with the user's own token and reuses the
   * result for a few seconds. Throws an `AuthError` with status 503 if Latchkey cannot be reached. With `audience`, or
   * if the token is bound to a key, it reads the license in the token instead.
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
 * const auth = await latchkey.authenticate(request.headers.authorization)
 * await latchkey.requireLicense(auth, 'reports')
 */
export function createLatchkey(options: LatchkeyOptions): Latchkey {
  requireValues(options)
  const issuer = options.issuer.replace(/\/$/, '')
  const keys = createRemoteJWKSet(
    new URL(`${issuer}/api/oauth/jwks`),
    options.fetch && { [customFetch]: options.fetch },
  )
  const challenge = (error?: string) => toChallenge(options, error)

  async function verify(token: string): Promise<Auth> {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience: options.audience ?? options.applicationId,
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
        : new AuthError('invalid_token', 'The access token is not valid.', {
            challenge: challenge('invalid_token'),
            cause: error,
          })
    }
  }

  const checkNow = createFeatureCheck({ ...options, issuer })

  async function hasFeature(auth: Auth, feature: string): Promise<boolean> {
    // Latchkey does not accept a token for another audience, or a bound one from us, who do not have the key.
    const isAccepted = options.audience === undefined && !isBound(auth)
    return isAccepted ? checkNow(auth, feature) : (auth.license?.features.includes(feature) ?? false)
  }

  const forbid = (message: string) => {
    throw new AuthError('insufficient_scope', message, { challenge: challenge('insufficient_scope') })
  }

  return {
    options: { ...options, issuer },
    verify,
    hasFeature,
    async authenticate(authorization) {
      const [, token] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
      if (token === undefined) {
        const message = 'Send an access token as Authorization: Bearer.'
        throw new AuthError('invalid_token', message, { challenge: challenge() })
      }
      const auth = await verify(token)
      if (!isBound(auth)) return auth
      throw new AuthError('invalid_token', 'The access token is bound to a key, so it is not valid as Bearer.', {
        challenge: challenge('invalid_token'),
      })
    },
    async requireLicense(auth, feature) {
      if (!(await hasFeature(auth, feature)))
        throw new AuthError('license_required', `This needs a license with the feature ${feature}.`)
    },
    requireRole(auth, ...roles) {
      if (!auth.roles.some((role) => roles.includes(role))) forbid(`This needs the role ${roles.join(' or ')}.`)
    },
    requireScope(auth, scope) {
      if (!auth.scopes.includes(scope)) forbid(`This needs the scope ${scope}.`)
    },
  }
}

/** Whether only the holder of a key may use the token (RFC 9449 §6). */
const isBound = ({ claims }: Auth): boolean => claims.cnf !== undefined

/**
 * An option from a variable that is not set would otherwise accept the tokens of every application or tenant, because an
 * absent value means that the claim is not checked.
 */
function requireValues(options: LatchkeyOptions): void {
  for (const name of ['issuer', 'applicationId', 'audience', 'tenantId'] as const) {
    const isOptional = (name === 'tenantId' || name === 'audience') && !(name in options)
    if (!isOptional && !options[name]) throw new TypeError(`${name} is empty. Set it in the options of createLatchkey.`)
  }
}

/** RFC 6750 §3, and RFC 9728 §5.1 for the metadata. */
function toChallenge({ resourceMetadataUrl }: LatchkeyOptions, error: string | undefined): string {
  const parameters = [
    ...(error === undefined ? [] : [`error="${error}"`]),
    ...(resourceMetadataUrl === undefined ? [] : [`resource_metadata="${resourceMetadataUrl}"`]),
  ]
  return ['Bearer', parameters.join(', ')].filter(Boolean).join(' ')
}

/** A token that is wrong is not the same as keys that cannot be fetched. */
const isUnavailable = (error: unknown): boolean =>
  error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError)
