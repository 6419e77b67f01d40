import * as oauth from 'oauth4webapi'
import { AuthError } from '../auth-error.ts'

interface RequestFacts {
  issuer: string
  clientId: string
  /** The origin of the page. */
  origin: string
  /** What was requested when the error occurred. */
  request: 'metadata' | 'tokens'
}

/** Explains an error of the protocol library or of `fetch`. */
export function toAuthError(cause: unknown, facts: RequestFacts): AuthError {
  if (cause instanceof AuthError) return cause
  if (cause instanceof oauth.AuthorizationResponseError) return fromResponse(cause)
  if (cause instanceof oauth.ResponseBodyError && cause.status !== 429) return fromTokenEndpoint(cause, facts)
  const code = codeOf(cause)
  if (code === oauth.JWT_TIMESTAMP_CHECK) {
    return new AuthError('ClockSkewError', 'The clock of this device differs too much from the clock of the service.', {
      advice: 'Set the clock of the device, then sign in again.',
      cause,
    })
  }
  if (isConnectionFailure(cause)) return fromConnection(cause, facts)
  if (facts.request === 'metadata') return fromMetadata(cause, facts)
  return new AuthError('SignInError', `The sign-in failed: ${messageOf(cause)}.`, {
    advice: 'Sign in again. If it fails again, compare issuer and clientId with the registration of the client.',
    cause,
  })
}

/** The error parameters of the redirect (RFC 6749 §4.1.2.1). */
function fromResponse(cause: oauth.AuthorizationResponseError): AuthError {
  const description = cause.error_description ?? cause.error
  if (cause.error === 'access_denied') {
    return new AuthError('AccessDeniedError', description, {
      advice: 'Offer to sign in again: for another tenant, with another account, or with consent.',
      cause,
    })
  }
  return new AuthError('SignInError', `${description} (${cause.error})`, {
    advice: 'Sign in again. If it fails again, check scope and the settings of the client.',
    cause,
  })
}

function fromTokenEndpoint(cause: oauth.ResponseBodyError, { clientId }: RequestFacts): AuthError {
  const advice =
    cause.error === 'invalid_client'
      ? `Check that the client ${clientId} exists, is of the kind SPA and is enabled.`
      : 'Sign in again.'
  return new AuthError('SignInError', `${cause.error_description ?? cause.error} (${cause.error})`, { advice, cause })
}

function fromConnection(cause: unknown, { issuer, clientId, origin, request }: RequestFacts): AuthError {
  // The metadata may be read by pages of every origin, the tokens only by those that the client lists.
  const advice =
    request === 'metadata'
      ? `Check the connection, and that Latchkey runs at ${issuer}. Then try again.`
      : `Check the connection, and that ${origin} is an allowed origin of the client ${clientId}. Then try again.`
  return new AuthError('NetworkError', `No answer from ${issuer}.`, { advice, cause })
}

function fromMetadata(cause: unknown, { issuer }: RequestFacts): AuthError {
  const actual = findActualIssuer(cause)
  return actual === undefined
    ? new AuthError('IssuerError', `There is no Latchkey at ${issuer}.`, {
        advice: `Set issuer to the BASE_URL of Latchkey. ${issuer}/.well-known/openid-configuration must show its metadata.`,
        cause,
      })
    : new AuthError('IssuerError', `The service at ${issuer} has another issuer: ${actual}.`, {
        advice: `Set issuer to ${actual}, character by character.`,
        cause,
      })
}

function findActualIssuer(cause: unknown): string | undefined {
  if (codeOf(cause) !== oauth.JSON_ATTRIBUTE_COMPARISON || !(cause instanceof Error)) return undefined
  const { body } = (cause.cause ?? {}) as { body?: { issuer?: unknown } }
  return typeof body?.issuer === 'string' ? body.issuer : undefined
}

/** `fetch` throws a TypeError without a code if the connection fails or the browser hides the response. */
const isConnectionFailure = (cause: unknown): boolean =>
  (cause instanceof TypeError && codeOf(cause) === undefined) ||
  (cause instanceof Error && ['AbortError', 'TimeoutError'].includes(cause.name)) ||
  (cause instanceof oauth.ResponseBodyError && cause.status === 429) ||
  (cause instanceof oauth.OperationProcessingError && cause.cause instanceof Response && cause.cause.status >= 500)

const codeOf = (cause: unknown): string | undefined =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** True if a redirect with prompt=none found that the user must do something: sign in, choose or consent. */
export const needsInteraction = (cause: unknown): boolean =>
  cause instanceof oauth.AuthorizationResponseError &&
  ['login_required', 'interaction_required', 'consent_required', 'account_selection_required'].includes(cause.error)

/** True if the service answered the authorization request with an error. */
export const isRefused = (cause: unknown): boolean => cause instanceof oauth.AuthorizationResponseError

/** True if the service refused the refresh token, or the tenant that was requested with it. */
export const isInvalidGrant = (cause: unknown): boolean =>
  cause instanceof oauth.ResponseBodyError && cause.error === 'invalid_grant'
