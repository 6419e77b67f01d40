import { type Client, createClient, type Input, type Operation, type Reply } from 'latchkey-sdk'
import { LatchkeyError } from 'latchkey-sdk/error'
import { accessToken, distrust, replaceToken } from '../session/session.ts'

const baseUrl = window.location.origin

/** Routes that act for the tenant of the token, and not for one in their address. */
const isOfTokenTenant = (operation: Operation) => operation.includes(' /api/integration/')

/** Routes of the person's own account. Changing how they sign in takes more than a token: also the browser's cookie. */
const isOfAccount = (operation: Operation) => operation.includes(' /api/users/me')

const withCookie: typeof fetch = (address, init) => fetch(address, { ...init, credentials: 'same-origin' })

const isDead = (error: unknown): boolean => error instanceof LatchkeyError && error.status === 401

/** A second factor must be shown first. */
export const lacksFactor = (error: unknown): boolean =>
  error instanceof LatchkeyError && error.code === 'MFA_REQUIRED'

/**
 * Calls a route of the service as whoever is signed in. For the routes of integrations the token must be of a tenant,
 * which is then named.
 */
export async function call<O extends Operation>(
  operation: O,
  input: Input<O>,
  tenant?: string,
): Promise<Reply<O>> {
  if (isOfTokenTenant(operation) && tenant === undefined) throw new Error(`${operation} needs a tenant`)
  try {
    return await attempt(operation, input, tenant)
  } catch (error) {
    // A token may have ended before its time, by a change of password for one. Another may be had, or not.
    if (isDead(error) || lacksFactor(error)) return attempt(operation, input, tenant)
    throw error
  }
}

async function attempt<O extends Operation>(
  operation: O,
  input: Input<O>,
  tenant: string | undefined,
): Promise<Reply<O>> {
  const token = await accessToken(tenant)
  const client: Client = createClient({
    ...{ baseUrl, token: () => token },
    ...(isOfAccount(operation) && { fetch: withCookie }),
  })
  try {
    return await client.call(operation, input)
  } catch (error) {
    if (isDead(error)) distrust(token)
    if (lacksFactor(error)) replaceToken(token)
    throw error
  }
}
