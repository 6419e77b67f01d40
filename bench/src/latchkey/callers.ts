import { createHash, randomBytes } from 'node:crypto'
import type { Program } from '../row.ts'
import { CALLBACK } from './world.ts'

/** How people and machines come to their tokens: by the doors that everybody uses. */

export const basic = (clientId: string, secret = '') => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
})

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
export const JSON_BODY = { 'content-type': 'application/json' }
/** One device for every sign-in of the bench: a person who comes with another is sent a notice. */
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

const askToken = async (
  { url, facts }: Program,
  clientId: string,
  fields: Record<string, string>,
): Promise<Tokens> =>
  readJson(
    await fetch(`${url}/api/oauth/token`, {
      method: 'POST',
      headers: basic(clientId, facts.clientSecret),
      body: new URLSearchParams(fields),
    }),
  )

export const getMachineToken = async (program: Program, clientId: string): Promise<string> =>
  (await askToken(program, clientId, { grant_type: 'client_credentials' })).access_token

export const getJson = async <T>({ url }: Program, path: string, token: string): Promise<T> =>
  readJson(await fetch(url + path, { headers: bearer(token) }))

/** The tokens of a person in their tenant, by the code flow with PKCE. */
export async function getTokens(program: Program, email: string): Promise<Tokens> {
  const { url, facts } = program
  const signedIn = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { ...JSON_BODY, ...DEVICE, origin: url },
    body: JSON.stringify({ email, password: facts.password }),
  })
  await readJson(signedIn)
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    ...{
      client_id: 'bench-web',
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid offline_access',
    },
    ...{ state: randomBytes(8).toString('hex'), nonce: randomBytes(8).toString('hex') },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const code = await askCode(`${url}/oauth/authorize?${query}`, cookie)
  const proof = { code, redirect_uri: CALLBACK, code_verifier: verifier }
  return askToken(program, 'bench-web', { grant_type: 'authorization_code', ...proof })
}

/** Follows the service's own redirects until it leads back to the client. */
async function askCode(address: string, cookie: string): Promise<string> {
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
  throw new Error(`redirected in circles, last to ${url}`)
}
