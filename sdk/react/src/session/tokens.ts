import * as oauth from 'oauth4webapi'
import { type ActiveTenant, readClaims, toTenant, toUser, type User } from './claims.ts'

/** The tokens of the signed-in user. They are only in the memory of this page. */
export interface Tokens {
  accessToken: string
  refreshToken: string | undefined
  idToken: string
  /** When the access token expires, by the clock of this device. */
  expiresAt: number
  user: User
  tenant: ActiveTenant | undefined
  /** The browser session at the service (`sid`), which several tabs share. */
  sessionId: string | undefined
}

/** Reads the response of the token endpoint, which the library has verified. */
export function toTokens(reply: oauth.TokenEndpointResponse, previous?: Tokens): Tokens {
  const claims = oauth.getValidatedIdTokenClaims(reply)
  // OpenID Connect Core §12.2: a renewed ID token is for the same user.
  if (previous && claims && claims.sub !== previous.user.id) throw new Error('the renewed token is for another user')
  const user = claims ? toUser(claims) : previous?.user
  const idToken = reply.id_token ?? previous?.idToken
  if (!user || idToken === undefined) throw new Error('the service returned no ID token: scope must contain openid')
  return {
    accessToken: reply.access_token,
    refreshToken: reply.refresh_token,
    idToken,
    expiresAt: Date.now() + (reply.expires_in ?? 0) * 1_000,
    user,
    tenant: toTenant(readClaims(reply.access_token)),
    sessionId: typeof claims?.sid === 'string' ? claims.sid : previous?.sessionId,
  }
}
