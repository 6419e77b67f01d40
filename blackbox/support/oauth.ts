import { createHash } from 'node:crypto'
import type { Browser } from './browser.ts'
import { followRedirects } from './pages.ts'
import { type ApiResponse, baseUrl, CALLBACK, encodeFields, type Fields, readResponse, unique } from './service.ts'

export interface Client {
  clientId: string
  clientSecret?: string
}

export interface Tokens {
  access_token: string
  token_type: string
  expires_in: number
  refresh_token: string
  id_token: string
  scope: string
}

/** Any response of an OAuth endpoint. A test reads the members it expects. */
export type OAuthBody = Tokens & { error: string; error_description: string }

export const ALL_SCOPES = 'openid profile email offline_access'
export const VERIFIER = 'the-verifier.of_every~test-0123456789-abcdefgh'
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')
export const S256 = { code_challenge: CHALLENGE, code_challenge_method: 'S256' }
export const PLAIN = { code_challenge: VERIFIER, code_challenge_method: 'plain' }
export const NO_PKCE = { code_challenge: undefined, code_challenge_method: undefined }
/** For requests that authenticate only by header. */
export const NO_BODY_CREDENTIALS = { client_id: undefined, client_secret: undefined }

/** A valid authorization request, changed by `extra`. Public clients use PKCE with S256. */
export function authorizationRequest(client: Client, extra: Fields = {}): Fields {
  return {
    client_id: client.clientId,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid',
    state: unique('state'),
    nonce: unique('nonce'),
    ...(client.clientSecret ? {} : S256),
    ...extra,
  }
}

/** Sends an authorization request and returns the last response: a redirect to the client, or a page of the service. */
export async function authorize(browser: Browser, client: Client, extra: Fields = {}): Promise<Response> {
  const request = encodeFields(authorizationRequest(client, extra))
  return followRedirects(browser, await browser.get(`/oauth/authorize?${request}`))
}

/** The parameters of an authorization response. Throws if the response is not a redirect to the client. */
export function readRedirect(response: Response, redirectUri = CALLBACK): Record<string, string> {
  const location = response.headers.get('location') ?? ''
  const start = redirectUri + (redirectUri.includes('?') ? '&' : '?')
  if (![302, 303].includes(response.status) || !location.startsWith(start)) {
    throw new Error(`not a redirect to the client: ${response.status} ${response.url} → ${location}`)
  }
  return Object.fromEntries(new URL(location).searchParams)
}

export async function getCode(browser: Browser, client: Client, extra: Fields = {}): Promise<string> {
  const { code, ...rest } = readRedirect(await authorize(browser, client, extra))
  if (!code) throw new Error(`no code: ${JSON.stringify(rest)}`)
  return code
}

export const credentials = ({ clientId, clientSecret }: Client): Fields => ({
  client_id: clientId,
  client_secret: clientSecret,
})

/** RFC 6749 §2.3.1: both halves are form-urlencoded before they are joined. */
export function basic({ clientId, clientSecret = '' }: Client): Record<string, string> {
  const half = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  const pair = Buffer.from(`${half(clientId)}:${half(clientSecret)}`).toString('base64')
  return { authorization: `Basic ${pair}` }
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export async function postForm(
  path: string,
  fields: Fields,
  headers: Record<string, string> = {},
): Promise<ApiResponse<OAuthBody>> {
  return readResponse(
    await fetch(baseUrl + path, { method: 'POST', body: encodeFields(fields), headers, redirect: 'manual' }),
  )
}

export const requestToken = (fields: Fields, headers?: Record<string, string>) =>
  postForm('/api/oauth/token', fields, headers)

/** Redeems a code from `authorizationRequest`. */
export function exchangeCode(client: Client, code: string, extra: Fields = {}, headers?: Record<string, string>) {
  const proof = client.clientSecret ? {} : { code_verifier: VERIFIER }
  const grant = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...proof }
  return requestToken({ ...grant, ...credentials(client), ...extra }, headers)
}

export const refreshTokens = (client: Client, token: string, extra: Fields = {}, headers?: Record<string, string>) =>
  requestToken({ grant_type: 'refresh_token', refresh_token: token, ...credentials(client), ...extra }, headers)

export const requestMachineToken = (client: Client, extra: Fields = {}) =>
  requestToken({ grant_type: 'client_credentials', ...credentials(client), ...extra })

/** The complete code flow. */
export async function getTokens(browser: Browser, client: Client, extra: Fields = {}): Promise<Tokens> {
  const response = await exchangeCode(client, await getCode(browser, client, { scope: ALL_SCOPES, ...extra }))
  if (response.status !== 200) throw new Error(`token: ${response.status} ${JSON.stringify(response.body)}`)
  return response.body
}

export const revokeToken = (client: Client, token: string, extra: Fields = {}) =>
  postForm('/api/oauth/revoke', { token, client_id: client.clientId, ...extra })

export const introspectToken = (client: Client, token: string): Promise<ApiResponse> =>
  postForm('/api/oauth/introspect', { token }, basic(client)) as Promise<ApiResponse<never>>

export async function getUserinfo(token: string, method = 'GET'): Promise<ApiResponse> {
  return readResponse(await fetch(`${baseUrl}/api/oauth/userinfo`, { method, headers: bearer(token) }))
}
