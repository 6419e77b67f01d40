import { withRetry } from '@latchkey/client/retry'
import { AuthError } from './auth-error.ts'

export interface MachineOptions {
  /** The base URL of Latchkey, such as https://id.example.com. */
  issuer: string
  clientId: string
  clientSecret: string
  /** The requested scopes. Default: all scopes of the client. */
  scopes?: string[]
  fetch?: typeof fetch
}

/** A token is replaced this long before it expires. */
const RENEWAL_SECONDS = 60

/**
 * Returns a function that gets the access token of a machine client. The token is reused until shortly before it
 * expires, and concurrent calls share one request.
 *
 * @example
 * const getToken = createMachineToken({ issuer: 'http://localhost:3000', clientId: 'demo-machine', clientSecret })
 * await fetch(url, { headers: { authorization: `Bearer ${await getToken()}` } })
 */
export function createMachineToken(options: MachineOptions): () => Promise<string> {
  let current: { token: string; renewAt: number } | undefined
  let pending: Promise<string> | undefined
  const renew = async () => {
    const { access_token, expires_in } = await requestToken(options)
    const lifetime = Math.max(expires_in - RENEWAL_SECONDS, expires_in / 2)
    current = { token: access_token, renewAt: performance.now() + lifetime * 1000 }
    return access_token
  }
  return async () => {
    if (current && performance.now() < current.renewAt) return current.token
    pending ??= renew().finally(() => {
      pending = undefined
    })
    return pending
  }
}

interface TokenReply {
  access_token: string
  expires_in: number
}

async function requestToken({
  issuer,
  clientId,
  clientSecret,
  scopes,
  fetch: send,
}: MachineOptions): Promise<TokenReply> {
  const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`
  const response = await withRetry(send ? { fetch: send } : {})(`${issuer.replace(/\/$/, '')}/api/oauth/token`, {
    method: 'POST',
    // A redirect could lead the secret to another server.
    redirect: 'error',
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      ...(scopes && { scope: scopes.join(' ') }),
    }),
  })
  const body = (await response.json()) as TokenReply & { error_description?: string }
  if (!response.ok)
    throw new AuthError('unavailable', `No token for ${clientId}: ${body.error_description ?? response.status}`)
  return body
}
