import { createHash } from 'node:crypto'
import { withRetry } from '@latchkey/client/retry'
import type { Auth } from './auth.ts'
import { AuthError } from './auth-error.ts'

interface CheckOptions {
  issuer: string
  applicationId: string
  licenseCacheSeconds?: number
  fetch?: typeof fetch
}

const DEFAULT_CACHE_SECONDS = 5
const MAX_ENTRIES = 10_000
const TIMEOUT_MS = 5_000

/** Checks the license with the token of the user, and keeps the features for a few seconds. */
export function createFeatureCheck(options: CheckOptions): (auth: Auth, feature: string) => Promise<boolean> {
  const { licenseCacheSeconds = DEFAULT_CACHE_SECONDS } = options
  const results = new Map<string, { features: Promise<string[]>; expiresAt: number }>()
  return async (auth, feature) => {
    if (auth.userId === undefined || auth.tenantId === undefined) return false
    // By token and not by user, so that a session that has ended cannot use the result of another session.
    const key = createHash('sha256').update(auth.token).digest('base64')
    const known = results.get(key)
    if (known && performance.now() < known.expiresAt) return (await known.features).includes(feature)
    const features = listFeatures(options, auth)
    results.delete(key)
    results.set(key, { features, expiresAt: performance.now() + licenseCacheSeconds * 1000 })
    // The oldest entry is first.
    if (results.size > MAX_ENTRIES) results.delete(results.keys().next().value ?? '')
    // A failed check is not reused.
    features.catch(() => results.delete(key))
    return (await features).includes(feature)
  }
}

async function listFeatures({ issuer, applicationId, fetch: send }: CheckOptions, { token }: Auth): Promise<string[]> {
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
