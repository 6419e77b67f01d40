import { createHash, randomBytes } from 'node:crypto'
import type { Program } from '../row.ts'
import { CALLBACK, PEOPLE, personEmail } from './seed.ts'

/** Gets tokens for people and machines through the public API. */

export const basic = (clientId: string, secret = '') => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
})

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
export const JSON_BODY = { 'content-type': 'application/json' }
/** The same user agent for every sign-in: a sign-in from a new device would send a mail. */
export const DEVICE = { 'user-agent': 'latchkey-bench' }

export interface Tokens {
  access_token: string
  refresh_token: string
  id_token: string
}

async function readJson<T>(response: Response): Promise<T> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${text.slice(0, 300)}`)
  return JSON.parse(text)
}

const requestToken = async (
  { url, outputs }: Program,
  clientId: string,
  fields: Record<string, string>,
  headers = {},
): Promise<Tokens> =>
  readJson(
    await fetch(`${url}/api/oauth/token`, {
      method: 'POST',
      headers: { ...basic(clientId, outputs.clientSecret), ...headers },
      body: new URLSearchParams(fields),
    }),
  )

export const getMachineToken = async (program: Program, clientId: string): Promise<string> =>
  (await requestToken(program, clientId, { grant_type: 'client_credentials' })).access_token

export const getJson = async <T>({ url }: Program, path: string, token: string): Promise<T> =>
  readJson(await fetch(url + path, { headers: bearer(token) }))

/** Signs a person in. Returns the cookie of the session. */
export async function signIn({ url, outputs }: Program, email: string): Promise<string> {
  const loginResponse = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { ...JSON_BODY, ...DEVICE, origin: url },
    body: JSON.stringify({ email, password: outputs.password }),
  })
  await readJson(loginResponse)
  return loginResponse.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
}

export const toAuthorizationRequest = (clientId: string, verifier: string) => ({
  client_id: clientId,
  redirect_uri: CALLBACK,
  response_type: 'code',
  scope: 'openid offline_access',
  state: randomBytes(8).toString('hex'),
  nonce: randomBytes(8).toString('hex'),
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
})

/** Signs a person in with the authorization code flow and PKCE. */
export async function getTokens(program: Program, email: string, headers = {}): Promise<Tokens> {
  const cookie = await signIn(program, email)
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams(toAuthorizationRequest('bench-web', verifier))
  const code = await requestCode(`${program.url}/oauth/authorize?${query}`, cookie)
  const proof = { code, redirect_uri: CALLBACK, code_verifier: verifier }
  return requestToken(program, 'bench-web', { grant_type: 'authorization_code', ...proof }, headers)
}

const PARALLEL_SIGN_INS = 8
const tokensByProgram = new Map<string, Promise<Tokens[]>>()

/** Tokens of all people of the large tenant, once for each program. */
export function getTokensOfAll(program: Program): Promise<Tokens[]> {
  const known = tokensByProgram.get(program.url) ?? signAllIn(program)
  tokensByProgram.set(program.url, known)
  return known
}

async function signAllIn(program: Program): Promise<Tokens[]> {
  const tokens: Tokens[] = []
  let next = 0
  const signIn = async () => {
    for (let index = next++; index < PEOPLE; index = next++)
      tokens[index] = await getTokens(program, personEmail(index))
  }
  await Promise.all(Array.from({ length: PARALLEL_SIGN_INS }, signIn))
  return tokens
}

/** Follows the redirects of the service until one leads to the client. */
async function requestCode(address: string, cookie: string): Promise<string> {
  let url = address
  for (let step = 0; step < 5; step++) {
    const response = await fetch(url, { headers: { cookie }, redirect: 'manual' })
    const location = response.headers.get('location')
    if (location === null) throw new Error(`${url} shows a page: ${response.status}`)
    const next = new URL(location, url)
    if (next.href.startsWith(CALLBACK)) {
      const code = next.searchParams.get('code')
      if (code === null) throw new Error(`no code: ${next.search}`)
      return code
    }
    url = next.href
  }
  throw new Error(`too many redirects, the last to ${url}`)
}
