import { createHash, randomUUID } from 'node:crypto'
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { newClient, type RegisteredClient } from './admin.ts'
import type { Browser } from './browser.ts'
import { authorize, postForm, readRedirect, S256, VERIFIER } from './oauth.ts'
import { completePages } from './pages.ts'
import type { Person } from './person.ts'
import { baseUrl, CALLBACK, type Fields, readResponse, unique } from './service.ts'

// A client of the FAPI 2.0 Security Profile: it authenticates with a key, pushes its requests, and sends DPoP proofs.

export interface FapiKey {
  alg: string
  privateKey: CryptoKey
  /** The public key. */
  jwk: JWK
  jkt: string
}

export interface FapiClient extends RegisteredClient {
  /** The keys that it may authenticate with. */
  keys: { es256: FapiKey; ps256: FapiKey }
  /** The key of its proofs. */
  proofKey: FapiKey
}

export async function newFapiKey(alg: string): Promise<FapiKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(publicKey)
  return { alg, privateKey, jwk: { ...jwk, kid: unique('key') }, jkt: await calculateJwkThumbprint(jwk) }
}

/** The same RSA key, to sign with RS256. */
export async function toRs256(key: FapiKey): Promise<FapiKey> {
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', key.privateKey)
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  return { ...key, privateKey: await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']) }
}

/** Its application must not sign with RS256. */
export async function newFapiClient(applicationId: string, settings: object = {}): Promise<FapiClient> {
  const keys = { es256: await newFapiKey('ES256'), ps256: await newFapiKey('PS256') }
  const jwks = { keys: Object.values(keys).map(({ jwk }) => jwk) }
  const fields = { securityProfile: 'FAPI2', requireNonce: false, jwks, ...settings }
  const client = await newClient(applicationId, 'WEB', fields)
  return { ...client, keys, proofKey: await newFapiKey('ES256') }
}

const seconds = () => Math.floor(Date.now() / 1000)

interface AssertionDraft {
  /** The key; by default that for ES256. */
  key?: FapiKey
  alg?: string
  claims?: Record<string, unknown>
}

/** The parameters that authenticate the client. */
export async function assertion(client: FapiClient, { key = client.keys.es256, ...draft }: AssertionDraft = {}) {
  const { alg = key.alg, claims = {} } = draft
  const now = seconds()
  const id = client.clientId
  const jwt = new SignJWT({ iss: id, sub: id, aud: baseUrl, jti: randomUUID(), iat: now, exp: now + 60, ...claims })
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await jwt.setProtectedHeader({ alg, kid: key.jwk.kid ?? '' }).sign(key.privateKey),
  }
}

interface ProofDraft {
  method?: string
  path?: string
  /** The access token that is sent with the proof. */
  token?: string
  key?: FapiKey
  header?: Record<string, unknown>
  claims?: Record<string, unknown>
}

/** The header with a proof; by default for the token endpoint. */
export async function proof(client: FapiClient, draft: ProofDraft = {}): Promise<{ dpop: string }> {
  const { method = 'POST', path = '/api/oauth/token', token, key = client.proofKey } = draft
  const ath = token && createHash('sha256').update(token).digest('base64url')
  const claims = { htm: method, htu: baseUrl + path, iat: seconds(), jti: randomUUID(), ath, ...draft.claims }
  const { kid, ...jwk } = key.jwk
  const header = { typ: 'dpop+jwt', alg: key.alg, jwk, ...draft.header }
  return { dpop: await new SignJWT(claims).setProtectedHeader(header).sign(key.privateKey) }
}

export const fapiRequest = (extra: Fields = {}): Fields => ({
  response_type: 'code',
  redirect_uri: CALLBACK,
  scope: 'openid',
  state: unique('state'),
  nonce: unique('nonce'),
  ...S256,
  ...extra,
})

/** Pushes an authorization request. `extra` also replaces parameters of the authentication. */
export async function push(client: FapiClient, extra: Fields = {}, headers: Record<string, string> = {}) {
  const form = { ...fapiRequest(), ...(await assertion(client)), ...extra }
  const response = await postForm('/api/oauth/par', form, headers)
  return response as typeof response & { body: { request_uri: string; expires_in: number } }
}

export async function pushRequest(client: FapiClient, extra: Fields = {}, headers: Record<string, string> = {}) {
  const { status, body } = await push(client, extra, headers)
  if (status !== 201) throw new Error(`par: ${status} ${JSON.stringify(body)}`)
  return body.request_uri
}

interface RequestObjectDraft {
  key?: FapiKey
  alg?: string
  claims?: Record<string, unknown>
}

/** The parameter with a signed request object (RFC 9101). A claim that is undefined is left out. */
export async function requestObject(client: FapiClient, draft: RequestObjectDraft = {}): Promise<{ request: string }> {
  const { key = client.keys.es256, alg = key.alg, claims } = draft
  const now = seconds()
  const { clientId } = client
  const times = { iat: now, nbf: now, exp: now + 60 }
  const payload = { ...fapiRequest(), iss: clientId, aud: baseUrl, client_id: clientId, ...times, ...claims }
  const header = { typ: 'oauth-authz-req+jwt', alg, kid: key.jwk.kid ?? '' }
  return { request: await new SignJWT(payload).setProtectedHeader(header).sign(key.privateKey) }
}

/** Pushes nothing but a request object, unless `extra` adds parameters. */
export async function pushObject(client: FapiClient, draft: RequestObjectDraft = {}, extra: Fields = {}) {
  const form = { ...(await requestObject(client, draft)), ...(await assertion(client)), ...extra }
  const response = await postForm('/api/oauth/par', form)
  return response as typeof response & { body: { request_uri: string } }
}

/** Opens the authorization endpoint as the client would, and returns the last response of the service. */
export const openPushed = (browser: Browser, client: FapiClient, requestUri: string, extra: Fields = {}) => {
  const unset = Object.fromEntries(Object.keys(fapiRequest()).map((name) => [name, undefined]))
  return authorize(browser, client, { ...unset, request_uri: requestUri, ...extra })
}

/** The authorization response to a pushed request, in a browser with or without a session. */
export async function respond(browser: Browser, client: FapiClient, requestUri: string, person: Person) {
  return readRedirect(await completePages(browser, await openPushed(browser, client, requestUri), person))
}

export async function getFapiCode(
  browser: Browser,
  client: FapiClient,
  extra: Fields = {},
  headers: Record<string, string> = {},
): Promise<string> {
  const response = readRedirect(await openPushed(browser, client, await pushRequest(client, extra, headers)))
  if (!response.code) throw new Error(`no code: ${JSON.stringify(response)}`)
  return response.code
}

/** Redeems a code with a proof, unless other headers are given. */
export async function redeemCode(
  client: FapiClient,
  code: string,
  extra: Fields = {},
  headers?: Record<string, string>,
) {
  const grant = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER }
  const form = { ...grant, ...(await assertion(client)), ...extra }
  return postForm('/api/oauth/token', form, headers ?? (await proof(client)))
}

export async function getFapiTokens(browser: Browser, client: FapiClient, extra: Fields = {}) {
  const { status, body } = await redeemCode(client, await getFapiCode(browser, client, extra))
  if (status !== 200) throw new Error(`token: ${status} ${JSON.stringify(body)}`)
  return body
}

export async function refreshFapi(
  client: FapiClient,
  refresh_token: string,
  extra: Fields = {},
  headers?: Record<string, string>,
) {
  const form = { grant_type: 'refresh_token', refresh_token, ...(await assertion(client)), ...extra }
  return postForm('/api/oauth/token', form, headers ?? (await proof(client)))
}

const USERINFO = '/api/oauth/userinfo'

/** Calls userinfo, which stands for the protected resource of the modules. */
export async function callResource(
  client: FapiClient,
  token: string,
  { scheme = 'DPoP', ...draft }: ProofDraft & { scheme?: string; without?: boolean } = {},
) {
  const headers = draft.without ? {} : await proof(client, { method: 'GET', path: USERINFO, token, ...draft })
  const authorization = `${scheme} ${token}`
  return readResponse(await fetch(baseUrl + USERINFO, { headers: { authorization, ...headers } }))
}
