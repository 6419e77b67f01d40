import { createMixedScenarios } from '../mix.ts'
import {
  createChainedScenario,
  type HttpRequest,
  type HttpResponse,
  type MixedRequest,
  onEveryConnection,
  type Program,
  type Row,
  type Scenario,
  withFixedResponse,
} from '../row.ts'
import { basic, bearer, DEVICE, FORM, getMachineToken, getTokens, getTokensOfAll, JSON_BODY } from './callers.ts'
import { createProofSigner } from './dpop.ts'
import { seatRows } from './seat-rows.ts'
import { es256MachineId, FEATURES, MACHINES, machineId, PEOPLE, personEmail } from './seed.ts'

/** The most frequent requests to the service, by many people, features, tokens and machines. */

const createScenario = (request: HttpRequest, isValid: (response: HttpResponse) => boolean): Scenario => ({
  request,
  check: (response) =>
    response.status === 200 && isValid(response) ? undefined : `unexpected response from ${request.path}`,
})

const idOf = ({ outputs }: Program, email: string): string => JSON.parse(outputs.people ?? '{}')[email]

const indexes = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Checks by a machine: every feature of every person. */
export async function listLicenseChecks(program: Program): Promise<MixedRequest[]> {
  const token = await getMachineToken(program, 'bench-machine')
  const { applicationId = '', people = '{}' } = program.outputs
  const userIds: Record<string, string> = JSON.parse(people)
  return indexes(PEOPLE).flatMap((index) =>
    FEATURES.map(({ key, isIncluded }): MixedRequest => {
      const userId = userIds[personEmail(index)] ?? ''
      const query = new URLSearchParams({ userId, applicationId, featureKey: key })
      const path = `/api/integration/licenses/feature?${query}`
      return {
        request: { method: 'GET', path, headers: bearer(token) },
        expectedBody: `{"hasFeature":${isIncluded}}`,
      }
    }),
  )
}

const prepareLicenseChecks = async (program: Program, connections: number): Promise<Scenario[]> =>
  createMixedScenarios(await listLicenseChecks(program), connections)

/** All responses must equal the first one, which must contain `expectedText`. */
async function prepareFixedResponse(program: Program, path: string, expectedText: string): Promise<Scenario> {
  const body = await (await fetch(program.url + path)).text()
  if (!body.includes(expectedText)) throw new Error(`${path} does not contain ${expectedText}: ${body.slice(0, 300)}`)
  return createScenario({ method: 'GET', path }, (response) => response.body === body)
}

const fixedResponseRow = (
  id: string,
  name: string,
  { path, expectedText }: { path: string; expectedText: string },
): Row => ({
  id,
  name,
  program: 'latchkey',
  prepare: async (program, connections) =>
    onEveryConnection(withFixedResponse(await prepareFixedResponse(program, path, expectedText)), connections),
  compare: [{ with: 'fastify', minRatio: 0.85 }, { with: 'fastify-observed' }, { with: `oidc-provider:${id}` }],
})

/** Requests with the tokens of all people. The service must return the expected person for each token. */
async function prepareTokenRequests(
  program: Program,
  connections: number,
  toRequest: (token: string) => HttpRequest,
): Promise<Scenario[]> {
  const tokens = await getTokensOfAll(program)
  const requests: MixedRequest[] = []
  for (const [index, { access_token }] of tokens.entries()) {
    const request = toRequest(access_token)
    const { path, ...init } = request
    const body = await (await fetch(program.url + path, init)).text()
    if (JSON.parse(body).sub !== idOf(program, personEmail(index)))
      throw new Error(`${path} returned another person: ${body.slice(0, 300)}`)
    requests.push({ request, expectedBody: body })
  }
  return createMixedScenarios(requests, connections)
}

const prepareIntrospection = (program: Program, connections: number): Promise<Scenario[]> =>
  prepareTokenRequests(program, connections, (token) => ({
    method: 'POST',
    path: '/api/oauth/introspect',
    headers: { ...FORM, ...basic('bench-web', program.outputs.clientSecret) },
    body: String(new URLSearchParams({ token })),
  }))

const prepareUserinfo = (program: Program, connections: number): Promise<Scenario[]> =>
  prepareTokenRequests(program, connections, (token) => ({
    method: 'GET',
    path: '/api/oauth/userinfo',
    headers: bearer(token),
  }))

/** A signature with a 2048-bit RSA key has 342 characters, and one with ES256 has 86. */
const JWT = { RS256: /^[\w-]+\.[\w-]+\.[\w-]{342}$/, ES256: /^[\w-]+\.[\w-]+\.[\w-]{86}$/ }
type Algorithm = keyof typeof JWT
const isJwt = (token: unknown, algorithm: Algorithm = 'RS256') =>
  typeof token === 'string' && JWT[algorithm].test(token)

const prepareClientCredentials = (program: Program, connections: number): Scenario[] =>
  createClientCredentials(program, connections, { idOf: machineId, algorithm: 'RS256' })

/** The first ES256 key would sign only after 15 minutes. */
async function prepareEs256(program: Program, connections: number): Promise<Scenario[]> {
  const response = await fetch(`${program.url}/api/admin/keys/rotate`, {
    method: 'POST',
    headers: { ...JSON_BODY, ...bearer(await getMachineToken(program, 'bench-ops')) },
    body: '{"immediately":true}',
  })
  if (!response.ok) throw new Error(`The keys cannot be rotated: ${response.status} ${await response.text()}`)
  return createClientCredentials(program, connections, { idOf: es256MachineId, algorithm: 'ES256' })
}

function createClientCredentials(
  { outputs }: Program,
  connections: number,
  { idOf, algorithm }: { idOf(index: number): string; algorithm: Algorithm },
): Scenario[] {
  const requests = indexes(MACHINES).map(
    (index): MixedRequest => ({
      request: {
        method: 'POST',
        path: '/api/oauth/token',
        headers: { ...FORM, ...basic(idOf(index), outputs.clientSecret) },
        body: 'grant_type=client_credentials',
      },
    }),
  )
  let last = ''
  return createMixedScenarios(requests, connections, ({ body }) => {
    const { access_token: token, token_type: type } = JSON.parse(body)
    const isNew = token !== last
    last = token
    return isNew && isJwt(token, algorithm) && type === 'Bearer'
  })
}

/** Each response contains the token for the next request. */
function createRefreshScenario({ outputs }: Program, firstToken: string): Scenario {
  const headers = { ...FORM, ...basic('bench-web', outputs.clientSecret) }
  return createChainedScenario({
    field: 'refresh_token',
    firstValue: firstToken,
    toRequest: (token) => ({
      method: 'POST',
      path: '/api/oauth/token',
      headers,
      body: `grant_type=refresh_token&refresh_token=${token}`,
    }),
    isValid: ({ access_token, id_token }) => isJwt(access_token) && isJwt(id_token),
  })
}

async function prepareRefresh(program: Program, connections: number): Promise<Scenario[]> {
  const scenarios: Scenario[] = []
  for (let index = 0; index < connections; index++) {
    const { refresh_token } = await getTokens(program, personEmail(index % PEOPLE))
    scenarios.push(createRefreshScenario(program, refresh_token))
  }
  return scenarios
}

/** Each request has a new proof. Signing it is work of the load generator. */
async function prepareDpopRefresh(program: Program, connections: number): Promise<Scenario[]> {
  const scenarios: Scenario[] = []
  const address = `${program.url}/api/oauth/token`
  for (let index = 0; index < connections; index++) {
    const sign = createProofSigner('POST', address)
    const { refresh_token } = await getTokens(program, personEmail(index % PEOPLE), { dpop: sign() })
    // Without `chain`, so that the load generator builds every request anew.
    const { request, check } = createRefreshScenario(program, refresh_token)
    const withProof = () => {
      const next = typeof request === 'function' ? request() : request
      return { ...next, headers: { ...next.headers, dpop: sign() } }
    }
    const checkType = ({ body }: HttpResponse) => (body.includes('"DPoP"') ? undefined : 'the token is not bound')
    scenarios.push({ request: withProof, check: (response) => check(response) ?? checkType(response) })
  }
  return scenarios
}

const prepareSignIn = (program: Program, connections: number): Scenario[] =>
  Array.from({ length: connections }, (_, index) => {
    const email = personEmail(index % PEOPLE)
    const id = idOf(program, email)
    const headers = { ...JSON_BODY, ...DEVICE }
    const body = JSON.stringify({ email, password: program.outputs.password })
    const request: HttpRequest = { method: 'POST', path: '/api/auth/login', headers, body }
    return createScenario(request, ({ body }) => JSON.parse(body).user?.id === id)
  })

const row = (
  id: string,
  name: string,
  {
    prepare,
    ...rest
  }: Omit<Row, 'id' | 'name' | 'program' | 'prepare'> & {
    prepare(program: Program, connections: number): Promise<Scenario[]> | Scenario[]
  },
): Row => ({
  id,
  name,
  program: 'latchkey',
  ...rest,
  prepare: async (program, connections) => prepare(program, connections),
})

export const latchkeyRows: Row[] = [
  row('license-check', 'License check', {
    prepare: prepareLicenseChecks,
    compare: [{ with: 'fastify', minRatio: 0.4 }, { with: 'fastify-observed' }, { with: 'fastify-verify' }],
  }),
  fixedResponseRow('discovery', 'Discovery', {
    path: '/.well-known/openid-configuration',
    expectedText: '"token_endpoint"',
  }),
  fixedResponseRow('jwks', 'Key set', { path: '/api/oauth/jwks', expectedText: '"kty":"RSA"' }),
  row('introspection', 'Introspection', {
    prepare: prepareIntrospection,
    compare: [
      { with: 'fastify', minRatio: 0.4 },
      { with: 'oidc-provider:introspection', minRatio: 5 },
    ],
  }),
  row('userinfo', 'Userinfo', {
    prepare: prepareUserinfo,
    compare: [
      { with: 'fastify', minRatio: 0.4 },
      { with: 'oidc-provider:userinfo', minRatio: 5 },
      { with: 'better-auth:session' },
    ],
  }),
  row('client-credentials', 'Client credentials', {
    prepare: prepareClientCredentials,
    compare: [
      { with: 'fastify-sign-1', minRatio: 0.9 },
      { with: 'oidc-provider:client-credentials' },
      { with: 'better-auth:token' },
    ],
  }),
  row('client-credentials-es256', 'Client credentials, with ES256 instead of RS256', {
    prepare: prepareEs256,
    compare: [{ with: 'client-credentials' }],
  }),
  row('refresh', 'Refresh that returns an ID token', {
    prepare: prepareRefresh,
    compare: [
      { with: 'fastify-insert-sign-2', minRatio: 0.9 },
      { with: 'oidc-provider:refresh', minRatio: 1.25 },
      { with: 'fastify-sign-2' },
    ],
  }),
  row('refresh-dpop', 'Refresh with a DPoP proof that returns an ID token', {
    prepare: prepareDpopRefresh,
    compare: [{ with: 'refresh' }],
  }),
  row('sign-in', 'Sign-in with a password', {
    prepare: prepareSignIn,
    compare: [{ with: 'fastify-argon2', minRatio: 0.9 }, { with: 'better-auth:sign-in' }],
  }),
  ...seatRows,
  row('license-check-under-refresh', 'License check during refreshes on 32 connections', {
    prepare: prepareLicenseChecks,
    background: 'refresh',
    maxP99Ms: 60,
    compare: [{ with: 'fastify-under-signing', minRatio: 0.7 }],
  }),
]
