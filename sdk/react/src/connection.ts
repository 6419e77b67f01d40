import { type Client, createClient, LatchkeyError, type LicenseCheck, type OwnTenants } from '@latchkey/client'
import { createResource, type Resource } from './resource.ts'
import type { ProtocolOptions } from './session/protocol.ts'
import { createSession, type Session } from './session/session.ts'

export interface ConnectionOptions extends ProtocolOptions {
  applicationId: string
}

/** The session of the page, and what it reads from the service for its user. */
export interface Connection {
  session: Session
  license: Resource<LicenseCheck>
  tenants: Resource<OwnTenants['tenants']>
}

/** License facts may be this old on the page. The API decides by itself. */
const LICENSE_MAX_AGE_MS = 30_000
const TENANTS_MAX_AGE_MS = 60_000

const connections = new Map<string, Connection>()

/**
 * The connection of this page. It outlives the provider, because a provider that is mounted again, as in StrictMode,
 * would otherwise lose the tokens and use the code a second time.
 */
export function getConnection(options: ConnectionOptions): Connection {
  const key = JSON.stringify(options)
  const known = connections.get(key)
  if (known) return known
  const connection = createConnection(options)
  // A server renders pages of many users, and none of them is signed in there.
  if (typeof window !== 'undefined') connections.set(key, connection)
  return connection
}

function createConnection({ applicationId, ...options }: ConnectionOptions): Connection {
  const session = createSession(options)
  const call = createCaller(options.issuer, session)
  return {
    session,
    license: createResource(
      () => call((client) => client.call('GET /api/integration/licenses/check', { query: { applicationId } })),
      { maxAgeMs: LICENSE_MAX_AGE_MS },
    ),
    tenants: createResource(async () => (await call((client) => client.call('GET /api/tenants', {}))).tenants, {
      maxAgeMs: TENANTS_MAX_AGE_MS,
    }),
  }
}

/** Calls the service with the token of the user. A refused token is renewed once. */
function createCaller(baseUrl: string, { getAccessToken, replaceToken }: Session) {
  return async <T>(send: (client: Client) => Promise<T>): Promise<T> => {
    const sendWith = (token: string) => send(createClient({ baseUrl, token: () => token }))
    const token = await getAccessToken()
    try {
      return await sendWith(token)
    } catch (error) {
      if (!(error instanceof LatchkeyError) || error.status !== 401) throw error
      return sendWith(await replaceToken(token))
    }
  }
}
