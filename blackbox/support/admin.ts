import { bearer, type Client, requestMachineToken } from './oauth.ts'
import { type ApiResponse, baseUrl, CALLBACK, cached, POST_LOGOUT_URI, readResponse, unique } from './service.ts'

export interface RegisteredClient extends Client {
  /** The id in the admin API. `clientId` is the one in OAuth. */
  id: string
}

export interface ConfidentialClient extends RegisteredClient {
  clientSecret: string
}

export const OPS = { clientId: 'demo-ops', clientSecret: 'demo-ops-secret' }

export async function callAdmin<Body = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
): Promise<ApiResponse<Body>> {
  const headers = { ...bearer(await getOpsToken()), ...(body ? { 'content-type': 'application/json' } : {}) }
  const init = body ? { method, headers, body: JSON.stringify(body) } : { method, headers }
  return readResponse<Body>(await fetch(`${baseUrl}/api/admin${path}`, init))
}

/** Every test file creates its own applications, so that clients and consents are not shared. */
export async function newApplication(fields: { trusted?: boolean; signingAlgorithm?: string } = {}): Promise<string> {
  const slug = unique('app')
  const { id } = await create<{ id: string }>('/applications', {
    name: 'A black-box application',
    slug,
    ...fields,
  })
  return id
}

export function newClient(applicationId: string, kind: 'SPA', fields?: object): Promise<RegisteredClient>
export function newClient(applicationId: string, kind: 'WEB', fields?: object): Promise<ConfidentialClient>
export async function newClient(
  applicationId: string,
  kind: 'SPA' | 'WEB',
  fields: object = {},
): Promise<RegisteredClient> {
  return create<RegisteredClient>('/clients', {
    applicationId,
    kind,
    name: `A black-box ${kind} client`,
    redirectUris: [CALLBACK],
    postLogoutRedirectUris: [POST_LOGOUT_URI],
    allowedOrigins: [],
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    ...fields,
  })
}

export function newMachine(applicationId: string, scopes: string[], fields: object = {}) {
  const machine = { applicationId, kind: 'MACHINE', name: 'A black-box machine', scopes, ...fields }
  return create<ConfidentialClient>('/clients', machine)
}

async function create<Body>(path: string, fields: object): Promise<Body> {
  const response = await callAdmin<Body>('POST', path, fields)
  if (response.status !== 201) throw new Error(`POST ${path}: ${response.status} ${JSON.stringify(response.body)}`)
  return response.body
}

const getOpsToken = cached(async (): Promise<string> => {
  const response = await requestMachineToken(OPS, { scope: 'admin' })
  if (response.status !== 200) throw new Error(`demo-ops: ${response.status} ${JSON.stringify(response.body)}`)
  return response.body.access_token
})
