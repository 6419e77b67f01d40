import {
  type HttpRequest,
  onEveryConnection,
  type Program,
  type Row,
  type Scenario,
  withFixedRequest,
  withFixedResponse,
} from '../row.ts'
import {
  basic,
  createRowFactory,
  expectBody,
  form,
  getOutput,
  isJwt,
  isPublicKeySet,
  json,
  prepareEach,
} from './scenarios.ts'

const emailOf = (program: Program, index: number) =>
  `person-${1 + (index % Number(getOutput(program, 'people')))}@company.test`

/** With the Origin header of a browser, because better-auth checks it. */
const signInRequest = (program: Program, email: string): HttpRequest =>
  json('/api/auth/sign-in/email', { email, password: getOutput(program, 'password') }, { origin: program.url })

const isUser = (user: unknown, email: string) => (user as { email?: unknown } | undefined)?.email === email

async function signIn(program: Program, index: number): Promise<Scenario> {
  const email = emailOf(program, index)
  return {
    request: signInRequest(program, email),
    check: expectBody(({ token, user }) => typeof token === 'string' && isUser(user, email)),
  }
}

/** Signs in and returns the Cookie header. */
async function getCookie(program: Program, email: string): Promise<string> {
  const { path, ...request } = signInRequest(program, email)
  const response = await fetch(program.url + path, request)
  if (response.status !== 200) throw new Error(`Sign-in failed: ${response.status} ${await response.text()}`)
  const cookies = response.headers.getSetCookie()
  return cookies.map((line) => line.slice(0, line.indexOf(';'))).join('; ')
}

async function session(program: Program): Promise<Scenario> {
  const email = emailOf(program, 0)
  const cookie = await getCookie(program, email)
  return {
    request: { method: 'GET', path: '/api/auth/get-session', headers: { cookie } },
    check: expectBody((body) => isUser(body.user, email)),
  }
}

async function members(program: Program): Promise<Scenario> {
  const cookie = await getCookie(program, emailOf(program, 0))
  const query = new URLSearchParams({ organizationId: getOutput(program, 'organizationId'), limit: '100' })
  return {
    request: { method: 'GET', path: `/api/auth/organization/list-members?${query}`, headers: { cookie } },
    check: expectBody((body) => Array.isArray(body.members) && body.members.length === 100 && body.total === 100),
  }
}

const token = (program: Program): Scenario => ({
  request: form(
    '/api/auth/oauth2/token',
    {
      grant_type: 'client_credentials',
      scope: getOutput(program, 'resourceScope'),
      resource: getOutput(program, 'resource'),
    },
    { authorization: basic(getOutput(program, 'clientId'), getOutput(program, 'clientSecret')) },
  ),
  check: expectBody((body) => body.token_type === 'Bearer' && isJwt(body.access_token)),
})

const jwks: Scenario = {
  request: { method: 'GET', path: '/api/auth/jwks' },
  check: expectBody(isPublicKeySet),
}

const row = createRowFactory('better-auth')

export const betterAuthRows: Row[] = [
  {
    ...row('sign-in', 'sign-in with a password, scrypt', (program, connections) =>
      prepareEach(connections, (index) => signIn(program, index)),
    ),
    // Node hashes four passwords at a time. More connections would leave queued hashes for the next row.
    connections: 8,
  },
  row('session', 'session of a cookie', async (program, connections) =>
    onEveryConnection(await session(program), connections),
  ),
  row('members', '100 members of an organization', async (program, connections) =>
    onEveryConnection(await members(program), connections),
  ),
  row('token', 'client credentials, JWT', async (program, connections) =>
    onEveryConnection(withFixedRequest(token(program)), connections),
  ),
  row('jwks', 'keys', async (_program, connections) => onEveryConnection(withFixedResponse(jwks), connections)),
]
