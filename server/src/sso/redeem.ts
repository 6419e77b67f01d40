import type { Configuration } from 'openid-client'
import { microsoftAudience, type SsoProvider } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import type { Attempt } from './attempts.ts'
import { type Claims, type Identity, toIdentity } from './identity.ts'
import { loadClient, openProvider, redirectUriOf, toRefusal } from './providers.ts'

/**
 * Turns what a provider has sent along into an identity. The library checks the answer's state and issuer (RFC
 * 9207), and the token's issuer, audience, time, nonce and signature.
 */
export async function redeem(
  ctx: Ctx,
  provider: SsoProvider,
  { attempt, search }: { attempt: Attempt; search: string },
): Promise<Identity> {
  const { state, nonce, verifier } = attempt
  const answer = new URL(redirectUriOf(ctx, provider))
  answer.search = search
  try {
    const configuration = await openProvider(ctx, provider)
    const { authorizationCodeGrant } = await loadClient()
    const tokens = await authorizationCodeGrant(configuration, answer, {
      ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
    })
    const claims = tokens.claims()
    if (!claims) throw new Error('no ID token')
    const all = await complete(provider, { configuration, claims, accessToken: tokens.access_token })
    return toIdentity(provider, all)
  } catch (error) {
    throw toRefusal(provider, error)
  }
}

interface Told {
  configuration: Configuration
  claims: Claims
  accessToken: string
}

/**
 * Many providers tell an address and a name in userinfo alone (OpenID Connect Core §5.4). Whether the address is
 * verified must come from where the address does. What Microsoft tells of that is in the token only.
 */
async function complete(
  provider: SsoProvider,
  { configuration, claims, accessToken }: Told,
): Promise<Claims> {
  const hasUserinfo = configuration.serverMetadata().userinfo_endpoint !== undefined
  if (claims.email !== undefined || !hasUserinfo || microsoftAudience(provider.issuer)) return claims
  const { email_verified, ...rest } = claims
  const { fetchUserInfo } = await loadClient()
  const told = await fetchUserInfo(configuration, accessToken, claims.sub)
  return { ...rest, ...told, iss: claims.iss, sub: claims.sub }
}
