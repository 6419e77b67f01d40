import { createHash, randomBytes } from 'node:crypto'
import {
  asked,
  chained,
  everywhere,
  type Program,
  type Request,
  type Row,
  steady,
  type Talk,
} from '../row.ts'
import { followRedirects } from './browser.ts'
import { basic, expecting, fact, forEach, form, isJwt, isPublicKeySet, rowsOf } from './talk.ts'

/** Access tokens are JWTs where a resource is named, and opaque, which is the default, where none is. */
type Kind = 'jwt' | 'opaque'

const resourceOf = (program: Program, kind: Kind): Record<string, string> =>
  kind === 'jwt' ? { resource: fact(program, 'resource') } : {}

const asWebClient = (program: Program, path: string, fields: Record<string, string>): Request =>
  form(path, fields, { authorization: basic(fact(program, 'clientId'), fact(program, 'clientSecret')) })

interface Tokens {
  access_token: string
  refresh_token: string
}

/** A person signs in to the web client, through every redirect of it; which person, the number says. */
async function signIn(program: Program, number: number, kind: Kind): Promise<Tokens> {
  const redirectUri = fact(program, 'redirectUri')
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    ...{ client_id: fact(program, 'clientId'), redirect_uri: redirectUri, response_type: 'code' },
    // A token that lasts is given only to who was asked for consent.
    ...{ scope: `openid email profile offline_access ${fact(program, 'resourceScope')}`, prompt: 'consent' },
    ...{
      login_hint: `person-${1 + (number % Number(fact(program, 'people')))}`,
      code_challenge_method: 'S256',
    },
    ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url') },
    ...resourceOf(program, kind),
  })
  const landing = await followRedirects(`${program.url}/auth?${query}`, redirectUri)
  const code = landing.searchParams.get('code')
  if (!code) throw new Error(`No code came back: ${landing.search}`)
  const { path, ...request } = asWebClient(program, '/token', {
    ...{ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri },
    ...resourceOf(program, kind),
  })
  const response = await fetch(program.url + path, request)
  if (response.status !== 200) throw new Error(`No tokens: ${response.status} ${await response.text()}`)
  return (await response.json()) as Tokens
}

/** One connection's chain: each answer holds the token that the next request uses up. */
async function refreshing(program: Program, number: number, kind: Kind): Promise<Talk> {
  const { refresh_token: first } = await signIn(program, number, kind)
  const fields = { grant_type: 'refresh_token', ...resourceOf(program, kind) }
  return chained({
    ...{ field: 'refresh_token', first },
    toRequest: (token) => asWebClient(program, '/token', { ...fields, refresh_token: token }),
    isRight: ({ access_token, id_token }) => isJwt(id_token) && isJwt(access_token) === (kind === 'jwt'),
  })
}

const clientCredentials = (program: Program): Talk => ({
  request: form(
    '/token',
    {
      grant_type: 'client_credentials',
      scope: fact(program, 'resourceScope'),
      ...resourceOf(program, 'jwt'),
    },
    { authorization: basic(fact(program, 'machineId'), fact(program, 'machineSecret')) },
  ),
  check: expecting((body) => body.token_type === 'Bearer' && isJwt(body.access_token)),
})

const isPerson = (sub: unknown) => typeof sub === 'string' && sub.startsWith('person-')

/** Of an opaque token, as it refuses JWTs. Told the kind of token, it looks in one place instead of in three. */
async function introspection(program: Program, number: number): Promise<Talk> {
  const { access_token: token } = await signIn(program, number, 'opaque')
  const fields = { token, token_type_hint: 'access_token' }
  return {
    request: asWebClient(program, '/token/introspection', fields),
    check: expecting((body) => body.active === true && isPerson(body.sub)),
  }
}

async function userinfo(program: Program, number: number): Promise<Talk> {
  const { access_token: token } = await signIn(program, number, 'opaque')
  return {
    request: { method: 'GET', path: '/me', headers: { authorization: `Bearer ${token}` } },
    check: expecting((body) => isPerson(body.sub) && body.email === `${body.sub}@company.test`),
  }
}

const discovery = ({ url }: Program): Talk => ({
  request: { method: 'GET', path: '/.well-known/openid-configuration' },
  check: expecting((body) => body.issuer === url && body.jwks_uri === `${url}/jwks`),
})

const jwks: Talk = { request: { method: 'GET', path: '/jwks' }, check: expecting(isPublicKeySet) }

const row = rowsOf('oidc-provider')

export const oidcProviderRows: Row[] = [
  row('client-credentials', 'client credentials, JWT', async (program, connections) =>
    everywhere(asked(clientCredentials(program)), connections),
  ),
  row('refresh', 'refresh with rotation, JWT and ID token', (program, connections) =>
    forEach(connections, (number) => refreshing(program, number, 'jwt')),
  ),
  row('refresh-opaque', 'refresh with rotation, opaque token and ID token', (program, connections) =>
    forEach(connections, (number) => refreshing(program, number, 'opaque')),
  ),
  row('introspection', 'introspection, opaque token', (program, connections) =>
    forEach(connections, (number) => introspection(program, number)),
  ),
  row('userinfo', 'userinfo, opaque token', (program, connections) =>
    forEach(connections, (number) => userinfo(program, number)),
  ),
  row('discovery', 'discovery', async (program, connections) =>
    everywhere(steady(discovery(program)), connections),
  ),
  row('jwks', 'keys', async (_program, connections) => everywhere(steady(jwks), connections)),
]
