import { admin } from '../../support/world.ts'

export interface Information {
  client_id: string
  client_secret?: string
  registration_access_token: string
  registration_client_uri: string
  error?: string
  error_description?: string
  [member: string]: unknown
}

export const REDIRECT_URI = 'https://app.example.com/callback'

export async function call(method: string, address: string, { token, body }: { token?: string; body?: unknown } = {}) {
  const response = await fetch(address, {
    method,
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && method !== 'GET' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { response, status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Information }
}

export const post = (url: string, metadata: unknown, token?: string) =>
  call('POST', `${url}/api/oauth/register`, { body: metadata, ...(token !== undefined && { token }) })

/** Registers a public client. */
export async function register(url: string, metadata: object = {}, token?: string): Promise<Information> {
  const { status, body } = await post(
    url,
    { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none', client_name: 'Reports', ...metadata },
    token,
  )
  if (status !== 201) throw new Error(`registration: ${status} ${JSON.stringify(body)}`)
  return body
}

/** The registration of a client, with its own token or another one. */
export const manage = (
  method: string,
  { registration_client_uri: address, registration_access_token }: Information,
  { token = registration_access_token, body }: { token?: string; body?: unknown } = {},
) => call(method, address, { token, ...(body !== undefined && { body }) })

export const newToken = (url: string, draft: object = {}) =>
  admin<{ id: string; registrationToken: string }>(url, '/api/admin/registration-tokens', {
    name: 'Partners',
    ...draft,
  })
