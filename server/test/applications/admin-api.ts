import { startDemoService } from '../support/world.ts'

export const UNKNOWN_ID = '0197a2b0-7d5c-7000-8000-00000000abcd'

interface Response {
  status: number
  // The bodies of many routes; each test checks the fields that it needs.
  body: Record<string, never> & { id: string; error: string; details: { field: string }[] }
}

interface RegisteredClient {
  id: string
  clientId: string
  clientSecret: string
  secrets: { id: string }[]
}

/** Requests a token with client credentials. */
export async function requestToken(
  url: string,
  id: string,
  secret: string,
): Promise<{ access_token?: string; error?: string }> {
  const response = await fetch(`${url}/api/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }),
  })
  return (await response.json()) as { access_token?: string; error?: string }
}

/** Starts the demo world and calls its administration API as an operator. */
export async function startAdminApi() {
  const service = await startDemoService()
  const { access_token: accessToken } = await requestToken(service.url, 'demo-ops', 'demo-ops-secret')

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const response = await fetch(`${service.url}/api/admin${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${accessToken}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Response['body'] }
  }

  const newApplication = async () => (await call('POST', '/applications', { name: 'App' })).body.id

  const newMachine = async (fields: object = {}) => {
    const draft = { applicationId: await newApplication(), kind: 'MACHINE', name: 'Machine', ...fields }
    return (await call('POST', '/clients', draft)).body as unknown as RegisteredClient
  }

  return { url: service.url, close: () => service.close(), call, newApplication, newMachine }
}
export type AdminApi = Awaited<ReturnType<typeof startAdminApi>>
