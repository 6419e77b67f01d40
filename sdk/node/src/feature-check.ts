import { withRetry } from '@latchkey/client/retry'
import type { Auth } from './auth.ts'
import { AuthError } from './auth-error.ts'
import { createTokenCache } from './token-cache.ts'

interface CheckOptions {
  issuer: string
  applicationId: string
  licenseCacheSeconds?: number
  fetch?: typeof fetch
}

const DEFAULT_CACHE_SECONDS = 5
const TIMEOUT_MS = 5_000

/** Checks the license with the token of the user, and keeps the features for a few seconds. */
export function createFeatureCheck(options: CheckOptions): (auth: Auth, feature: string) => Promise<boolean> {
  const { licenseCacheSeconds = DEFAULT_CACHE_SECONDS } = options
  const findFeatures = createTokenCache(licenseCacheSeconds, (token) => listFeatures(options, token))
  return async ({ userId, tenantId, token }, feature) => {
    if (userId === undefined || tenantId === undefined) return false
    return (await findFeatures(token)).includes(feature)
  }
}

async function listFeatures({ issuer, applicationId, fetch: send }: CheckOptions, token: string): Promise<string[]> {
  const query = new URLSearchParams({ applicationId })
  const response = await withRetry(send ? { fetch: send } : {})(`${issuer}/api/integration/licenses/check?${query}`, {
    headers: { authorization: `Bearer ${token}` },
    // A redirect could lead the token to another server.
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new AuthError('unavailable', 'The license cannot be checked now.', { cause: error })
  })
  // The session has ended since the token was issued.
  if (response.status === 401)
    throw new AuthError('invalid_token', 'The access token is no longer valid.', {
      challenge: 'Bearer error="invalid_token"',
    })
  if (!response.ok) throw new AuthError('unavailable', `The license check returned ${response.status}.`)
  return ((await response.json()) as { features: string[] }).features
}
