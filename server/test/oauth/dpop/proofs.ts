import { createHash, type KeyObject, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { admin, CALLBACK, type Tokens, VERIFIER } from '../../support/world.ts'

/** A key of an application that uses DPoP. */
export interface Key {
  alg: string
  privateKey: CryptoKey
  jwk: JWK
  jkt: string
}

export async function newKey(alg = 'ES256', options: { modulusLength?: number } = {}): Promise<Key> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true, ...options })
  const jwk = await exportJWK(publicKey)
  return { alg, privateKey, jwk, jkt: await calculateJwkThumbprint(jwk) }
}

export const hashOf = (accessToken: string): string => createHash('sha256').update(accessToken).digest('base64url')

export interface ProofDraft {
  header?: Record<string, unknown>
  /** A claim that is undefined is left out. */
  claims?: Record<string, unknown>
  signWith?: CryptoKey | KeyObject | Uint8Array
}

/** A proof for a POST request to the token endpoint, unless the draft says otherwise. */
export function newProof(base: string, key: Key, { header, claims, signWith }: ProofDraft = {}): Promise<string> {
  const payload = {
    htm: 'POST',
    htu: `${base}/api/oauth/token`,
    iat: Math.floor(Date.now() / 1000),
    jti: randomUUID(),
    ...claims,
  }
  return new SignJWT(payload)
    .setProtectedHeader({ typ: 'dpop+jwt', alg: key.alg, jwk: key.jwk, ...header })
    .sign(signWith ?? key.privateKey)
}

/** A proof for a resource. */
export const newResourceProof = (base: string, key: Key, request: { path: string; token: string; method?: string }) =>
  newProof(base, key, {
    claims: { htm: request.method ?? 'GET', htu: base + request.path, ath: hashOf(request.token) },
  })

export type TokenResult = Tokens & { token_type: string; error_description?: string }

/** Calls the token endpoint with these values of the DPoP header. */
export async function requestTokens(url: string, form: Record<string, string>, ...proofs: string[]) {
  const headers: [string, string][] = proofs.map((proof) => ['DPoP', proof])
  const response = await fetch(`${url}/api/oauth/token`, { method: 'POST', headers, body: new URLSearchParams(form) })
  return { status: response.status, headers: response.headers, body: (await response.json()) as TokenResult }
}

export const MACHINE = {
  grant_type: 'client_credentials',
  client_id: 'demo-machine',
  client_secret: 'demo-machine-secret',
}

export const codeForm = (code: string | undefined) => ({
  grant_type: 'authorization_code',
  client_id: 'demo-spa',
  redirect_uri: CALLBACK,
  code: code ?? '',
  code_verifier: VERIFIER,
})

export const refreshForm = (refresh_token: string) => ({
  grant_type: 'refresh_token',
  client_id: 'demo-spa',
  refresh_token,
})

/** Sends an access token to a route. */
export async function callWith(
  url: string,
  path: string,
  { scheme, token, proof }: { scheme: string; token: string; proof?: string | undefined },
) {
  const headers = { authorization: `${scheme} ${token}`, ...(proof !== undefined && { DPoP: proof }) }
  const response = await fetch(url + path, { headers })
  return { status: response.status, challenge: response.headers.get('www-authenticate'), headers: response.headers }
}

export interface NewClient {
  id: string
  clientId: string
  clientSecret: string
}

export async function newClient(url: string, draft: Record<string, unknown>): Promise<NewClient> {
  const { id: applicationId } = await admin<{ id: string }>(url, '/api/admin/applications', {
    name: `DPoP ${randomUUID()}`,
  })
  const addresses = draft.kind === 'MACHINE' ? {} : { redirectUris: [CALLBACK] }
  return admin<NewClient>(url, '/api/admin/clients', { applicationId, name: 'Client', ...addresses, ...draft })
}
