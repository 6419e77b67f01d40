import { createHash, randomBytes } from 'node:crypto'
import {
  createChainedScenario,
  type HttpRequest,
  onEveryConnection,
  type Program,
  type Row,
  type Scenario,
  withFixedRequest,
  withFixedResponse,
} from '../row.ts'
import { followRedirects } from './browser.ts'
import {
  basic,
  createRowFactory,
  expectBody,
  form,
  getOutput,
  isJwt,
  isPublicKeySet,
  prepareEach,
} from './scenarios.ts'

/** Access tokens are JWTs if the request names a resource, otherwise opaque. */
type TokenFormat = 'jwt' | 'opaque'

const resourceOf = (program: Program, format: TokenFormat): Record<string, string> =>
  format === 'jwt' ? { resource: getOutput(program, 'resource') } : {}

const asWebClient = (program: Program, path: string, fields: Record<string, string>): HttpRequest =>
  form(path, fields, {
    authorization: basic(getOutput(program, 'clientId'), getOutput(program, 'clientSecret')),
  })

interface Tokens {
  access_token: string
  refresh_token: string
}

/** Signs a person in to the web client by the authorization code flow. */
async function signIn(program: Program, index: number, format: TokenFormat): Promise<Tokens> {
  const redirectUri = getOutput(program, 'redirectUri')
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: getOutput(program, 'clientId'),
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: `openid email profile offline_access ${getOutput(program, 'resourceScope')}`,
    // offline_access requires it (OpenID Connect Core §11).
    prompt: 'consent',
    login_hint: `person-${1 + (index % Number(getOutput(program, 'people')))}`,
    code_challenge_method: 'S256',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    ...resourceOf(program, format),
  })
  const landing = await followRedirects(`${program.url}/auth?${query}`, redirectUri)
  const code = landing.searchParams.get('code')
  if (!code) throw new Error(`No code in the redirect: ${landing.search}`)
  const { path, ...request } = asWebClient(program, '/token', {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
    ...resourceOf(program, format),
  })
  const response = await fetch(program.url + path, request)
  if (response.status !== 200) throw new Error(`No tokens: ${response.status} ${await response.text()}`)
  return (await response.json()) as Tokens
}

/** Each response contains the token for the next request. */
async function createRefreshScenario(program: Program, index: number, format: TokenFormat): Promise<Scenario> {
  const { refresh_token: firstValue } = await signIn(program, index, format)
  const fields = { grant_type: 'refresh_token', ...resourceOf(program, format) }
  return createChainedScenario({
    field: 'refresh_token',
    firstValue,
    toRequest: (token) => asWebClient(program, '/token', { ...fields, refresh_token: token }),
    isValid: ({ access_token, id_token }) => isJwt(id_token) && isJwt(access_token) === (format === 'jwt'),
  })
}

const clientCredentials = (program: Program): Scenario => ({
  request: form(
    '/token',
    {
      grant_type: 'client_credentials',
      scope: getOutput(program, 'resourceScope'),
      ...resourceOf(program, 'jwt'),
    },
    { authorization: basic(getOutput(program, 'machineId'), getOutput(program, 'machineSecret')) },
  ),
  check: expectBody((body) => body.token_type === 'Bearer' && isJwt(body.access_token)),
})

const isPerson = (sub: unknown) => typeof sub === 'string' && sub.startsWith('person-')

/** With an opaque token, because oidc-provider does not introspect JWTs. The hint saves two queries. */
async function introspection(program: Program, index: number): Promise<Scenario> {
  const { access_token: token } = await signIn(program, index, 'opaque')
  const fields = { token, token_type_hint: 'access_token' }
  return {
    request: asWebClient(program, '/token/introspection', fields),
    check: expectBody((body) => body.active === true && isPerson(body.sub)),
  }
}

async function userinfo(program: Program, index: number): Promise<Scenario> {
  const { access_token: token } = await signIn(program, index, 'opaque')
  return {
    request: { method: 'GET', path: '/me', headers: { authorization: `Bearer ${token}` } },
    check: expectBody((body) => isPerson(body.sub) && body.email === `${body.sub}@company.test`),
  }
}

const discovery = ({ url }: Program): Scenario => ({
  request: { method: 'GET', path: '/.well-known/openid-configuration' },
  check: expectBody((body) => body.issuer === url && body.jwks_uri === `${url}/jwks`),
})

const jwks: Scenario = { request: { method: 'GET', path: '/jwks' }, check: expectBody(isPublicKeySet) }

const row = createRowFactory('oidc-provider')

export const oidcProviderRows: Row[] = [
  row('client-credentials', 'client credentials, JWT', async (program, connections) =>
    onEveryConnection(withFixedRequest(clientCredentials(program)), connections),
  ),
  row('refresh', 'refresh with rotation, JWT and ID token', (program, connections) =>
    prepareEach(connections, (index) => createRefreshScenario(program, index, 'jwt')),
  ),
  row('refresh-opaque', 'refresh with rotation, opaque token and ID token', (program, connections) =>
    prepareEach(connections, (index) => createRefreshScenario(program, index, 'opaque')),
  ),
  row('introspection', 'introspection, opaque token', (program, connections) =>
    prepareEach(connections, (index) => introspection(program, index)),
  ),
  row('userinfo', 'userinfo, opaque token', (program, connections) =>
    prepareEach(connections, (index) => userinfo(program, index)),
  ),
  row('discovery', 'discovery', async (program, connections) =>
    onEveryConnection(withFixedResponse(discovery(program)), connections),
  ),
  row('jwks', 'keys', async (_program, connections) => onEveryConnection(withFixedResponse(jwks), connections)),
]
