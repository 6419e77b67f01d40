import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { admin } from '../support/world.ts'

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

export type Algorithm = 'PS256' | 'ES256' | 'EdDSA' | 'RS256'

export interface TestKey {
  alg: Algorithm
  kid: string
  privateKey: CryptoKey
  publicJwk: Record<string, unknown>
  privateJwk: Record<string, unknown>
}

export async function newKey(alg: Algorithm, kid: string = randomUUID()): Promise<TestKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return {
    alg,
    kid,
    privateKey,
    publicJwk: { ...(await exportJWK(publicKey)), kid },
    privateJwk: { ...(await exportJWK(privateKey)), kid },
  }
}

export interface CreatedClient {
  id: string
  clientId: string
  applicationId: string
  clientSecret: string | null
}

/** Registers a client in an application of its own; by default a machine of the instance with private_key_jwt. */
export async function newKeyClient(url: string, settings: object): Promise<CreatedClient> {
  const application = { name: `Keys ${randomUUID()}` }
  const { id: applicationId } = await admin<{ id: string }>(url, '/api/admin/applications', application)
  return admin<CreatedClient>(url, '/api/admin/clients', {
    applicationId,
    kind: 'MACHINE',
    name: 'With a key',
    scopes: ['licenses:read'],
    tokenEndpointAuthMethod: 'private_key_jwt',
    ...settings,
  })
}

/** The claims of a valid assertion. */
export const validClaims = (url: string, clientId: string) => {
  const now = Math.floor(Date.now() / 1000)
  return { iss: clientId, sub: clientId, aud: url, jti: randomUUID(), iat: now, nbf: now, exp: now + 60 }
}

export const sign = (
  { alg, kid, privateKey }: TestKey,
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg, kid, ...header } as { alg: string }).sign(privateKey)

export interface Answer {
  status: number
  body: { access_token: string; error?: string; error_description?: string; active?: boolean }
}

export async function post(url: string, form: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form), headers })
  return { status: response.status, body: (await response.json()) as Answer['body'], headers: response.headers }
}

/** A client credentials request with an assertion. */
export const requestToken = (url: string, assertion: string, form: Record<string, string> = {}) =>
  post(`${url}/api/oauth/token`, {
    grant_type: 'client_credentials',
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: assertion,
    ...form,
  })
