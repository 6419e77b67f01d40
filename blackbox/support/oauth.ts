import { createHash } from 'node:crypto'
import type { Browser } from './browser.ts'
import { follow } from './pages.ts'
import { type Answer, base, CALLBACK, encode, type Fields, read, unique } from './service.ts'

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

/** Any answer of an OAuth endpoint; a test names the members it expects. */
export type OAuthBody = Tokens & { error: string; error_description: string }

export const EVERYTHING = 'openid profile email offline_access'
export const VERIFIER = 'the-verifier.of_every~test-0123456789-abcdefgh'
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')
export const S256 = { code_challenge: CHALLENGE, code_challenge_method: 'S256' }
export const PLAIN = { code_challenge: VERIFIER, code_challenge_method: 'plain' }
export const NO_PKCE = { code_challenge: undefined, code_challenge_method: undefined }
/** For requests that authenticate by header alone. */
export const NO_BODY_CREDENTIALS = { client_id: undefined, client_secret: undefined }

/** An honest authorization request, changed by `extra`. Public clients prove possession by S256. */
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

/** Asks for a code and returns where that ends: at the client's address, or on a page of ours. */
export async function authorize(browser: Browser, client: Client, extra: Fields = {}): Promise<Response> {
  const request = encode(authorizationRequest(client, extra))
  return follow(browser, await browser.get(`/oauth/authorize?${request}`))
}

/** What an authorization response tells the client. Anything but a redirect to the client is a failure. */
export function landing(response: Response, redirectUri = CALLBACK): Record<string, string> {
  const location = response.headers.get('location') ?? ''
  const start = redirectUri + (redirectUri.includes('?') ? '&' : '?')
  if (![302, 303].includes(response.status) || !location.startsWith(start)) {
    throw new Error(`not a redirect to the client: ${response.status} ${response.url} → ${location}`)
  }
  return Object.fromEntries(new URL(location).searchParams)
}

export async function getCode(browser: Browser, client: Client, extra: Fields = {}): Promise<string> {
  const { code, ...rest } = landing(await authorize(browser, client, extra))
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
): Promise<Answer<OAuthBody>> {
  return read(await fetch(base + path, { method: 'POST', body: encode(fields), headers, redirect: 'manual' }))
}

export const askToken = (fields: Fields, headers?: Record<string, string>) =>
  postForm('/api/oauth/token', fields, headers)

/** Redeems a code that was asked for by `authorizationRequest`. */
export function exchange(client: Client, code: string, extra: Fields = {}, headers?: Record<string, string>) {
  const proof = client.clientSecret ? {} : { code_verifier: VERIFIER }
  const grant = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...proof }
  return askToken({ ...grant, ...credentials(client), ...extra }, headers)
}

export const refresh = (
  client: Client,
  token: string,
  extra: Fields = {},
  headers?: Record<string, string>,
) =>
  askToken({ grant_type: 'refresh_token', refresh_token: token, ...credentials(client), ...extra }, headers)

export const askMachineToken = (client: Client, extra: Fields = {}) =>
  askToken({ grant_type: 'client_credentials', ...credentials(client), ...extra })

/** The whole code flow, for tests that are about what comes after it. */
export async function getTokens(browser: Browser, client: Client, extra: Fields = {}): Promise<Tokens> {
  const answer = await exchange(client, await getCode(browser, client, { scope: EVERYTHING, ...extra }))
  if (answer.status !== 200) throw new Error(`token: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

export const revoke = (client: Client, token: string, extra: Fields = {}) =>
  postForm('/api/oauth/revoke', { token, client_id: client.clientId, ...extra })

export const introspect = (client: Client, token: string): Promise<Answer> =>
  postForm('/api/oauth/introspect', { token }, basic(client)) as Promise<Answer<never>>

export async function userinfo(token: string, method = 'GET'): Promise<Answer> {
  return read(await fetch(`${base}/api/oauth/userinfo`, { method, headers: bearer(token) }))
}
