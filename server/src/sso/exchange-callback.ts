import type { Configuration } from 'openid-client'
import { parseMicrosoftAudience, type SsoProvider } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import type { Attempt } from './attempts.ts'
import { type Claims, type Identity, toIdentity } from './identity.ts'
import { getConfiguration, loadClient, redirectUriOf, toProviderError } from './providers.ts'

/**
 * Exchanges the code of a callback for an identity. openid-client validates state and issuer (RFC 9207) of the
 * callback, and issuer, audience, times, nonce and signature of the ID token.
 */
export async function exchangeCallback(
  ctx: Ctx,
  provider: SsoProvider,
  { attempt, search }: { attempt: Attempt; search: string },
): Promise<Identity> {
  const { state, nonce, verifier } = attempt
  const callbackUrl = new URL(redirectUriOf(ctx, provider))
  callbackUrl.search = search
  try {
    const configuration = await getConfiguration(ctx, provider)
    const { authorizationCodeGrant } = await loadClient()
    const tokens = await authorizationCodeGrant(configuration, callbackUrl, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims) throw new Error('no ID token')
    const completeClaims = await addUserInfo(provider, {
      configuration,
      claims,
      accessToken: tokens.access_token,
    })
    return toIdentity(provider, completeClaims)
  } catch (error) {
    throw toProviderError(provider, error)
  }
}

interface ProviderTokens {
  configuration: Configuration
  claims: Claims
  accessToken: string
}

/**
 * Many providers send email and name in userinfo only (OpenID Connect Core §5.4). email_verified must come from the
 * same place as email. Microsoft sends it in the ID token only.
 */
async function addUserInfo(
  provider: SsoProvider,
  { configuration, claims, accessToken }: ProviderTokens,
): Promise<Claims> {
  const hasUserinfo = configuration.serverMetadata().userinfo_endpoint !== undefined
  if (claims.email !== undefined || !hasUserinfo || parseMicrosoftAudience(provider.issuer)) return claims
  const { email_verified, ...rest } = claims
  const { fetchUserInfo } = await loadClient()
  const userInfo = await fetchUserInfo(configuration, accessToken, claims.sub)
  return { ...rest, ...userInfo, iss: claims.iss, sub: claims.sub }
}
