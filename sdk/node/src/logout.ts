import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose'
import { ALGORITHMS, isUnavailable } from './keys.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

export interface LogoutOptions {
  /** The base URL of Latchkey, such as https://id.example.com. */
  issuer: string
  /** The client id of your application. Tokens for other clients are refused. */
  clientId: string
  fetch?: typeof fetch
}

/** A session that has ended. */
export interface Logout {
  /** The `sub` of the ID token. */
  userId: string
  /** The `sid` of the ID token: end the sessions of your application that began with it. */
  sessionId: string
  /** Different in every token, also in those that report the same session again. */
  id: string
}

/** The token was not sent by Latchkey to this client, or has expired. Answer it with 400. */
export class LogoutTokenError extends Error {
  override readonly name = 'LogoutTokenError'
}

/**
 * Creates a function that verifies logout tokens (OpenID Connect Back-Channel Logout §2.6). It throws a `LogoutTokenError`
 * for a token that is not valid. Any other error means that the keys cannot be read: answer it with 503, and Latchkey
 * sends the logout again. To end a session twice has no effect, so used tokens are not remembered.
 *
 * @example
 * const verifyLogout = createLogoutVerifier({ issuer: 'http://localhost:3000', clientId: 'demo-web' })
 * const { sessionId } = await verifyLogout(request.body.logout_token)
 */
export function createLogoutVerifier(options: LogoutOptions): (logoutToken: unknown) => Promise<Logout> {
  for (const name of ['issuer', 'clientId'] as const) {
    if (!options[name]) throw new TypeError(`${name} is empty. Set it in the options of createLogoutVerifier.`)
  }
  const issuer = options.issuer.replace(/\/$/, '')
  const keys = createRemoteJWKSet(
    new URL(`${issuer}/api/oauth/jwks`),
    options.fetch && { [customFetch]: options.fetch },
  )
  return async (logoutToken) => {
    if (typeof logoutToken !== 'string') throw new LogoutTokenError('The parameter logout_token is missing.')
    try {
      const { payload } = await jwtVerify(logoutToken, keys, {
        issuer,
        audience: options.clientId,
        algorithms: ALGORITHMS,
        // Otherwise an ID token would be accepted as a logout token.
        typ: 'logout+jwt',
        requiredClaims: ['sub', 'sid', 'jti', 'iat', 'exp', 'events'],
      })
      const { sub, sid, jti, events } = payload
      const isLogout = typeof events === 'object' && events !== null && EVENT in events
      if (!isLogout || 'nonce' in payload || typeof sid !== 'string' || sub === undefined || jti === undefined) {
        throw new errors.JWTInvalid('the claims are not those of a logout token')
      }
      return { userId: sub, sessionId: sid, id: jti }
    } catch (error) {
      if (isUnavailable(error)) throw error
      throw new LogoutTokenError('The logout token is not valid.', { cause: error })
    }
  }
}
