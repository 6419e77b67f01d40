import {
  type Answer,
  asked,
  chained,
  everywhere,
  type Program,
  type Request,
  type Row,
  steady,
  type Talk,
} from '../row.ts'
import { basic, bearer, DEVICE, FORM, getMachineToken, getTokens, JSON_BODY } from './callers.ts'
import { seatRows } from './seat-rows.ts'
import { PEOPLE, personEmail } from './world.ts'

/** What the service is asked most, and what it must not be slow at. */

const expecting = (request: Request, isRight: (answer: Answer) => boolean): Talk => ({
  request,
  check: (answer) =>
    answer.status === 200 && isRight(answer) ? undefined : `${request.path} answered wrongly`,
})

const LICENSED = personEmail(0)
const idOf = ({ facts }: Program, email: string): string => JSON.parse(facts.people ?? '{}')[email]

/** Whether somebody has a feature. */
async function toCheck(program: Program): Promise<(featureKey: string) => Request> {
  const token = await getMachineToken(program, 'bench-machine')
  const { applicationId = '' } = program.facts
  const about = new URLSearchParams({ userId: idOf(program, LICENSED), applicationId })
  const path = `/api/integration/licenses/feature?${about}&featureKey=`
  return (featureKey) => ({ method: 'GET', path: path + featureKey, headers: bearer(token) })
}

async function prepareCheck(program: Program, connections: number): Promise<Talk[]> {
  const check = await toCheck(program)
  return everywhere(
    steady(expecting(check('reports'), ({ body }) => body === '{"hasFeature":true}')),
    connections,
  )
}

/** The token and the licence are known, and the question is new every time: no answer can be given again. */
async function prepareNewChecks(program: Program, connections: number): Promise<Talk[]> {
  const check = await toCheck(program)
  let count = 0
  const talk: Talk = {
    request: () => check(`unknown-${++count}`),
    check: ({ status, body }) =>
      status === 200 && body === '{"hasFeature":false}' ? undefined : 'there is no such feature',
  }
  return everywhere(talk, connections)
}

/** What every answer must be the same as the first of, which is looked at. */
async function prepareDocument(program: Program, path: string, holds: string): Promise<Talk> {
  const body = await (await fetch(program.url + path)).text()
  if (!body.includes(holds)) throw new Error(`${path} does not hold ${holds}: ${body.slice(0, 300)}`)
  return expecting({ method: 'GET', path }, (answer) => answer.body === body)
}

const document = (id: string, name: string, { path, holds }: { path: string; holds: string }): Row => ({
  ...{ id, name, program: 'latchkey' },
  prepare: async (program, connections) =>
    everywhere(steady(await prepareDocument(program, path, holds)), connections),
  compare: [{ with: 'fastify', least: 0.9 }, { with: `oidc-provider:${id}` }],
})

async function prepareIntrospection(program: Program, connections: number): Promise<Talk[]> {
  const { access_token } = await getTokens(program, LICENSED)
  const request: Request = {
    method: 'POST',
    path: '/api/oauth/introspect',
    headers: { ...FORM, ...basic('bench-web', program.facts.clientSecret) },
    body: String(new URLSearchParams({ token: access_token })),
  }
  const sub = idOf(program, LICENSED)
  const isRight = ({ body }: Answer) => {
    const told = JSON.parse(body)
    return told.active === true && told.sub === sub
  }
  return everywhere(steady(expecting(request, isRight)), connections)
}

async function prepareUserinfo(program: Program, connections: number): Promise<Talk[]> {
  const { access_token } = await getTokens(program, LICENSED)
  const request: Request = { method: 'GET', path: '/api/oauth/userinfo', headers: bearer(access_token) }
  const sub = idOf(program, LICENSED)
  return everywhere(steady(expecting(request, ({ body }) => JSON.parse(body).sub === sub)), connections)
}

/** Three parts, the last as long as a signature with 2048 bits. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]{342}$/
const isJwt = (token: unknown) => typeof token === 'string' && JWT.test(token)

const machineRequest = ({ facts }: Program, more = ''): Request => ({
  method: 'POST',
  path: '/api/oauth/token',
  headers: { ...FORM, ...basic('bench-machine', facts.clientSecret) },
  body: `grant_type=client_credentials${more}`,
})

/** Whether a token came, and another than the last time. */
function isNewToken(): (answer: Answer) => boolean {
  let last = ''
  return ({ body }) => {
    const { access_token: token, token_type: type } = JSON.parse(body)
    const isAnother = token !== last
    last = token
    return isAnother && isJwt(token) && type === 'Bearer'
  }
}

const prepareClientCredentials = (program: Program, connections: number): Talk[] =>
  everywhere(asked(expecting(machineRequest(program), isNewToken())), connections)

/** In words that were never heard: what no grant asks for is passed over. */
function prepareNewWords(program: Program, connections: number): Talk[] {
  let count = 0
  const talk = expecting(machineRequest(program), isNewToken())
  return everywhere({ ...talk, request: () => machineRequest(program, `&words=${++count}`) }, connections)
}

/** Each answer brings the token for the next request. */
function refreshing({ facts }: Program, first: string): Talk {
  const headers = { ...FORM, ...basic('bench-web', facts.clientSecret) }
  return chained({
    ...{ field: 'refresh_token', first },
    toRequest: (token) => ({
      ...{ method: 'POST', path: '/api/oauth/token', headers },
      body: `grant_type=refresh_token&refresh_token=${token}`,
    }),
    isRight: ({ access_token, id_token }) => isJwt(access_token) && isJwt(id_token),
  })
}

async function prepareRefresh(program: Program, connections: number): Promise<Talk[]> {
  const talks: Talk[] = []
  for (let index = 0; index < connections; index++) {
    const { refresh_token } = await getTokens(program, personEmail(index % PEOPLE))
    talks.push(refreshing(program, refresh_token))
  }
  return talks
}

const prepareSignIn = (program: Program, connections: number): Talk[] =>
  Array.from({ length: connections }, (_, index) => {
    const email = personEmail(index % PEOPLE)
    const id = idOf(program, email)
    const headers = { ...JSON_BODY, ...DEVICE }
    const body = JSON.stringify({ email, password: program.facts.password })
    const request: Request = { method: 'POST', path: '/api/auth/login', headers, body }
    return expecting(request, ({ body }) => JSON.parse(body).user?.id === id)
  })

const row = (
  id: string,
  name: string,
  {
    prepare,
    ...rest
  }: Omit<Row, 'id' | 'name' | 'program' | 'prepare'> & {
    prepare(program: Program, connections: number): Promise<Talk[]> | Talk[]
  },
): Row => ({
  ...{ id, name, program: 'latchkey', ...rest },
  prepare: async (program, connections) => prepare(program, connections),
})

export const latchkeyRows: Row[] = [
  row('license-check', 'License check', {
    prepare: prepareCheck,
    compare: [{ with: 'fastify', least: 0.7 }, { with: 'fastify-verify' }],
  }),
  row('license-check-new', 'The same, another feature every time', {
    prepare: prepareNewChecks,
    compare: [{ with: 'fastify' }],
  }),
  document('discovery', 'Discovery', {
    path: '/.well-known/openid-configuration',
    holds: '"token_endpoint"',
  }),
  document('jwks', 'Key set', { path: '/api/oauth/jwks', holds: '"kty":"RSA"' }),
  row('introspection', 'Introspection', {
    prepare: prepareIntrospection,
    compare: [
      { with: 'fastify', least: 0.55 },
      { with: 'oidc-provider:introspection', least: 5 },
    ],
  }),
  row('userinfo', 'Userinfo', {
    prepare: prepareUserinfo,
    compare: [
      { with: 'fastify', least: 0.55 },
      { with: 'oidc-provider:userinfo', least: 5 },
      { with: 'better-auth:session' },
    ],
  }),
  row('client-credentials', 'Client credentials', {
    prepare: prepareClientCredentials,
    compare: [
      { with: 'fastify-sign-1', least: 0.95 },
      { with: 'oidc-provider:client-credentials' },
      { with: 'better-auth:token' },
    ],
  }),
  row('client-credentials-new', 'The same, in other words every time', { prepare: prepareNewWords }),
  row('refresh', 'Refresh with an ID token', {
    prepare: prepareRefresh,
    compare: [
      { with: 'fastify-sign-2', least: 0.9 },
      { with: 'oidc-provider:refresh', least: 1.25 },
      { with: 'fastify-insert-sign-2' },
    ],
  }),
  row('sign-in', 'Sign-in with a password', {
    prepare: prepareSignIn,
    compare: [{ with: 'fastify-argon2', least: 0.9 }, { with: 'better-auth:sign-in' }],
  }),
  ...seatRows,
  row('license-check-under-refresh', 'License check while 32 refresh', {
    ...{ prepare: prepareCheck, meanwhile: 'refresh', mostP99: 60 },
    compare: [{ with: 'fastify-under-signing', least: 0.75 }],
  }),
]
