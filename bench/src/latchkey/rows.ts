import { createMixedScenarios } from '../mix.ts'
import {
  type HttpRequest,
  type HttpResponse,
  type MixedRequest,
  onEveryConnection,
  type Program,
  type Row,
  type Scenario,
  withFixedResponse,
} from '../row.ts'
import { basic, bearer, DEVICE, FORM, getMachineToken, getTokensOfAll, JSON_BODY } from './callers.ts'
import { seatRows } from './seat-rows.ts'
import { FEATURES, PEOPLE, personEmail } from './seed.ts'
import { tokenRows } from './token-rows.ts'

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
  ...tokenRows,
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
