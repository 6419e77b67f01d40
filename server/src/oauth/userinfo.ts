import type { FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { OAuthError } from '../errors.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { limitClaims, NO_CLAIMS } from './claims-parameter.ts'
import { type PresentedToken, readPresentedToken, requirePossession } from './dpop/possession.ts'
import type { UserInfo } from './schema.ts'
import { toUserClaims } from './user-claims.ts'
import { findLiveToken, type LiveToken } from './verify-access-token.ts'

/** Returns the claims that the token's scopes allow, and those requested by name (OpenID Connect Core §5.3 to §5.5). */
export async function answerUserInfo(ctx: Ctx, exchange: Exchange, formToken?: string): Promise<UserInfo> {
  const presented = readToken(exchange.request, formToken)
  const live = presented && (await findLiveToken(ctx, presented.token))
  if (!live) throw refuse('invalid_token', 'The access token is not valid.')
  await requirePossession(ctx, exchange, { ...presented, claims: live.claims })
  return claimsOf(live)
}

/** RFC 6750 §2: a request must use one method only. */
function readToken(request: FastifyRequest, formToken: string | undefined): PresentedToken | undefined {
  if (request.headers.authorization === undefined) {
    // RFC 6750 §3.1: without a token the challenge has no error code.
    if (formToken === undefined) {
      throw refuse('invalid_token', 'Send an access token as Authorization: Bearer.', 'Bearer')
    }
    return { scheme: 'Bearer', token: formToken }
  }
  if (formToken !== undefined) {
    throw refuse('invalid_request', 'Send the access token in the header or in the form, not in both.')
  }
  return readPresentedToken(request)
}

/** Responses are cached for as long as the token is. */
const cache = new WeakMap<LiveToken, UserInfo>()

function claimsOf(live: LiveToken): UserInfo {
  const cached = cache.get(live)
  if (cached) return cached
  const { grant: user, scopes } = live
  if (!user || !scopes.includes('openid')) {
    throw refuse('insufficient_scope', 'The access token lacks the scope openid.')
  }
  // The claims that a client requested by name are for that client. Another that acts for the user has its scopes only.
  const isActor = live.claims.actors.length > 0
  const requested = isActor ? NO_CLAIMS : limitClaims(user.requested_claims ?? NO_CLAIMS, user.client_scopes)
  const claims = { sub: user.user_id, ...toUserClaims(user, scopes, requested.userinfo) }
  cache.set(live, claims)
  return claims
}

const refuse = (
  code: 'invalid_request' | 'invalid_token' | 'insufficient_scope',
  description: string,
  challenge?: string,
) =>
  new OAuthError(code, description, {
    headers: {
      'WWW-Authenticate': challenge ?? `Bearer error="${code}", error_description="${description}"`,
    },
  })
