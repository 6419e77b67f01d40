import { asked, everywhere, type Program, type Request, type Row, steady, type Talk } from '../row.ts'
import { basic, expecting, fact, forEach, form, isJwt, isPublicKeySet, json, rowsOf } from './talk.ts'

const emailOf = (program: Program, number: number) =>
  `person-${1 + (number % Number(fact(program, 'people')))}@company.test`

/** With the origin that a browser adds: it is checked, as for any browser. */
const signInRequest = (program: Program, email: string): Request =>
  json('/api/auth/sign-in/email', { email, password: fact(program, 'password') }, { origin: program.url })

const isUser = (user: unknown, email: string) => (user as { email?: unknown } | undefined)?.email === email

async function signIn(program: Program, number: number): Promise<Talk> {
  const email = emailOf(program, number)
  return {
    request: signInRequest(program, email),
    check: expecting(({ token, user }) => typeof token === 'string' && isUser(user, email)),
  }
}

/** The cookie that signing in leaves behind. */
async function cookieOf(program: Program, email: string): Promise<string> {
  const { path, ...request } = signInRequest(program, email)
  const response = await fetch(program.url + path, request)
  if (response.status !== 200) throw new Error(`Not signed in: ${response.status} ${await response.text()}`)
  const cookies = response.headers.getSetCookie()
  return cookies.map((line) => line.slice(0, line.indexOf(';'))).join('; ')
}

async function session(program: Program): Promise<Talk> {
  const email = emailOf(program, 0)
  const cookie = await cookieOf(program, email)
  return {
    request: { method: 'GET', path: '/api/auth/get-session', headers: { cookie } },
    check: expecting((body) => isUser(body.user, email)),
  }
}

async function members(program: Program): Promise<Talk> {
  const cookie = await cookieOf(program, emailOf(program, 0))
  const query = new URLSearchParams({ organizationId: fact(program, 'organizationId'), limit: '100' })
  return {
    request: { method: 'GET', path: `/api/auth/organization/list-members?${query}`, headers: { cookie } },
    check: expecting(
      (body) => Array.isArray(body.members) && body.members.length === 100 && body.total === 100,
    ),
  }
}

const token = (program: Program): Talk => ({
  request: form(
    '/api/auth/oauth2/token',
    {
      ...{ grant_type: 'client_credentials', scope: fact(program, 'resourceScope') },
      resource: fact(program, 'resource'),
    },
    { authorization: basic(fact(program, 'clientId'), fact(program, 'clientSecret')) },
  ),
  check: expecting((body) => body.token_type === 'Bearer' && isJwt(body.access_token)),
})

const jwks: Talk = { request: { method: 'GET', path: '/api/auth/jwks' }, check: expecting(isPublicKeySet) }

const row = rowsOf('better-auth')

export const betterAuthRows: Row[] = [
  {
    ...row('sign-in', 'sign-in with a password, scrypt', (program, connections) =>
      forEach(connections, (number) => signIn(program, number)),
    ),
    // Node hashes four at a time. More would only stand in line, and be hashed into the next row's time when this one ends.
    connections: 8,
  },
  row('session', 'session of a cookie', async (program, connections) =>
    everywhere(await session(program), connections),
  ),
  row('members', '100 members of an organization', async (program, connections) =>
    everywhere(await members(program), connections),
  ),
  row('token', 'client credentials, JWT', async (program, connections) =>
    everywhere(asked(token(program)), connections),
  ),
  row('jwks', 'keys', async (_program, connections) => everywhere(steady(jwks), connections)),
]
