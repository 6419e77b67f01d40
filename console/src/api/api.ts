import { type Client, createClient, type Input, type Operation, type Reply } from '@latchkey/client'
import { LatchkeyError } from '@latchkey/client/error'
import { currentLanguage } from '../languages/catalog.ts'
import { discardTokens, expireToken, getAccessToken } from '../session/session.ts'
import { watchConnection } from './connection.ts'

const baseUrl = window.location.origin

/** These routes act for the tenant of the token and have no tenant in their path. */
const isTenantFromToken = (operation: Operation) => operation.includes(' /api/integration/')

/** Changes to sign-in methods require the session cookie in addition to the token. */
const isOwnAccountRoute = (operation: Operation) => operation.includes(' /api/users/me')

/** Error messages are in the language of the console. */
const inLanguage: typeof fetch = (address, init) => {
  const headers = new Headers(init?.headers)
  headers.set('latchkey-language', currentLanguage())
  return fetch(address, { ...init, headers })
}

const withCookie: typeof fetch = (address, init) => inLanguage(address, { ...init, credentials: 'same-origin' })

const isUnauthorized = (error: unknown): boolean => error instanceof LatchkeyError && error.status === 401

/** The request needs a session with a second factor. */
export const isMfaRequired = (error: unknown): boolean =>
  error instanceof LatchkeyError && error.code === 'MFA_REQUIRED'

/** Calls a route of the service as the signed-in user. Integration routes need a token of `tenant`. */
export async function call<O extends Operation>(operation: O, input: Input<O>, tenant?: string): Promise<Reply<O>> {
  if (isTenantFromToken(operation) && tenant === undefined) throw new Error(`${operation} needs a tenant`)
  try {
    return await watchConnection(() => attempt(operation, input, tenant))
  } catch (error) {
    // The token may have been revoked before it expired, for example by a password change. Retry with a new one.
    if (isUnauthorized(error) || isMfaRequired(error)) return attempt(operation, input, tenant)
    throw error
  }
}

async function attempt<O extends Operation>(
  operation: O,
  input: Input<O>,
  tenant: string | undefined,
): Promise<Reply<O>> {
  const token = await getAccessToken(tenant)
  const client: Client = createClient({
    baseUrl,
    token: () => token,
    // The user sees an error at once and can repeat the action.
    maxRetries: 0,
    fetch: isOwnAccountRoute(operation) ? withCookie : inLanguage,
  })
  try {
    return await client.call(operation, input)
  } catch (error) {
    if (isUnauthorized(error)) expireToken(token)
    if (isMfaRequired(error)) discardTokens(token)
    throw error
  }
}
