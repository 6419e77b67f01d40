import { randomUUID } from 'node:crypto'
import { admin, authorizeUrl, CALLBACK } from '../../support/world.ts'
import { type CreatedClient, newKey, sign, type TestKey } from '../key-clients.ts'

export interface SigningClient extends CreatedClient {
  key: TestKey
}

/** A client of an application of its own, with a key to sign requests; by default a confidential one with a secret. */
export async function newSigningClient(url: string, settings: object = {}): Promise<SigningClient> {
  const key = await newKey('ES256')
  const application = { name: `Signed ${randomUUID()}` }
  const { id: applicationId } = await admin<{ id: string }>(url, '/api/admin/applications', application)
  const client = await admin<CreatedClient>(url, '/api/admin/clients', {
    applicationId,
    kind: 'WEB',
    name: 'Signs its requests',
    redirectUris: [CALLBACK],
    jwks: { keys: [key.publicJwk] },
    ...settings,
  })
  return { ...client, key }
}

/** The claims of a valid request object. */
export function validObject(url: string, clientId: string): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000)
  const parameters = Object.fromEntries(new URL(authorizeUrl(url, { client_id: clientId })).searchParams)
  return { ...parameters, iss: clientId, aud: url, iat: now, nbf: now, exp: now + 300, jti: randomUUID() }
}

export const signObject = (
  key: TestKey,
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
): Promise<string> => sign(key, claims, { typ: 'oauth-authz-req+jwt', ...header })

export interface Response {
  status: number
  location: string
  html: string
  answer: Record<string, string>
}

/** An authorization request with only these parameters. */
export async function open(url: string, cookie: string, parameters: Record<string, string>): Promise<Response> {
  const query = new URLSearchParams(parameters)
  const response = await fetch(`${url}/oauth/authorize?${query}`, { headers: { cookie }, redirect: 'manual' })
  const location = response.headers.get('location') ?? ''
  const answer = Object.fromEntries(URL.canParse(location) ? new URL(location).searchParams : [])
  return { status: response.status, location, html: await response.text(), answer }
}

interface Pushed {
  request_uri: string
  error?: string
  error_description?: string
}

/** Pushes a request with the secret of the client. */
export async function push(url: string, client: CreatedClient, parameters: Record<string, string>) {
  const credentials = {
    client_id: client.clientId,
    ...(client.clientSecret && { client_secret: client.clientSecret }),
  }
  const body = new URLSearchParams({ ...credentials, ...parameters })
  const response = await fetch(`${url}/api/oauth/par`, { method: 'POST', body })
  return { status: response.status, body: (await response.json()) as Pushed }
}
