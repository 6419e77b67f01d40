import { withRetry } from '@latchkey/client/retry'
import type { License } from './auth.ts'
import { AuthError } from './auth-error.ts'
import { createTokenCache } from './token-cache.ts'

export interface IntrospectionOptions {
  /** A client with a secret, of the application that the tokens are for or that owns the resource. */
  clientId: string
  clientSecret: string
  /** How long an answer is reused, in seconds. Default: 1. With 0, every request is checked at Latchkey. */
  cacheSeconds?: number
}

/** What Latchkey says about a token now. */
export interface Introspection {
  active: boolean
  scope?: string
  tenant_roles?: string[]
  license?: License
}

interface Connection {
  issuer: string
  introspection?: IntrospectionOptions
  fetch?: typeof fetch
}

const DEFAULT_CACHE_SECONDS = 1
const TIMEOUT_MS = 5_000

/** Asks Latchkey for the current state of a token (RFC 7662). Undefined without a client that may ask. */
export function createIntrospection({
  introspection,
  ...connection
}: Connection): ((token: string) => Promise<Introspection>) | undefined {
  if (!introspection) return undefined
  const { clientId, clientSecret, cacheSeconds = DEFAULT_CACHE_SECONDS } = introspection
  return createTokenCache(cacheSeconds, (token) => introspect({ ...connection, clientId, clientSecret }, token))
}

async function introspect(
  { issuer, clientId, clientSecret, fetch: send }: Omit<Connection, 'introspection'> & IntrospectionOptions,
  token: string,
): Promise<Introspection> {
  const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`
  const response = await withRetry(send ? { fetch: send } : {})(`${issuer}/api/oauth/introspect`, {
    method: 'POST',
    // A redirect could lead the secret to another server.
    redirect: 'error',
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    body: new URLSearchParams({ token }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new AuthError('unavailable', 'The access token cannot be checked now.', { cause: error })
  })
  if (response.status === 401)
    throw new AuthError('unavailable', `Latchkey refused the secret of ${clientId}, so it cannot check access tokens.`)
  if (!response.ok) throw new AuthError('unavailable', `The introspection returned ${response.status}.`)
  return (await response.json()) as Introspection
}
