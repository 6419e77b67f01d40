import { askMachineToken, bearer, type Client } from './oauth.ts'
import { type Answer, base, CALLBACK, GOODBYE, keepFresh, read, unique } from './service.ts'

export interface RegisteredClient extends Client {
  /** The identifier the admin API uses; `clientId` is the one OAuth uses. */
  id: string
}

export interface ConfidentialClient extends RegisteredClient {
  clientSecret: string
}

export const OPS = { clientId: 'demo-ops', clientSecret: 'demo-ops-secret' }

export async function admin<Body = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer<Body>> {
  const headers = { ...bearer(await opsToken()), ...(body ? { 'content-type': 'application/json' } : {}) }
  const init = body ? { method, headers, body: JSON.stringify(body) } : { method, headers }
  return read<Body>(await fetch(`${base}/api/admin${path}`, init))
}

/** Every file makes applications of its own, so that none meets the clients or consents of another. */
export async function newApplication(fields: { trusted?: boolean } = {}): Promise<string> {
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
    postLogoutRedirectUris: [GOODBYE],
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
  const answer = await admin<Body>('POST', path, fields)
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

const opsToken = keepFresh(async (): Promise<string> => {
  const answer = await askMachineToken(OPS, { scope: 'admin' })
  if (answer.status !== 200) throw new Error(`demo-ops: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body.access_token
})
