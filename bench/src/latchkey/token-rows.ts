import { randomBytes } from 'node:crypto'
import { createMixedScenarios } from '../mix.ts'
import { createProofSigner } from '../proof-signer.ts'
import { createPushScenario } from '../push-scenario.ts'
import {
  createChainedScenario,
  type HttpResponse,
  type MixedRequest,
  type Program,
  type Row,
  type Scenario,
} from '../row.ts'
import {
  basic,
  bearer,
  DEVICE,
  FORM,
  getMachineToken,
  getTokens,
  JSON_BODY,
  signIn,
  toAuthorizationRequest,
} from './callers.ts'
import { es256MachineId, MACHINES, machineId, PEOPLE, personEmail, pushingClientId } from './seed.ts'

/** Requests for tokens, and authorizations. */

/** A signature with a 2048-bit RSA key has 342 characters, and one with ES256 has 86. */
const JWT = { RS256: /^[\w-]+\.[\w-]+\.[\w-]{342}$/, ES256: /^[\w-]+\.[\w-]+\.[\w-]{86}$/ }
type Algorithm = keyof typeof JWT
const isJwt = (token: unknown, algorithm: Algorithm = 'RS256') =>
  typeof token === 'string' && JWT[algorithm].test(token)

const prepareClientCredentials = async (program: Program, connections: number): Promise<Scenario[]> =>
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
  const requests = Array.from(
    { length: MACHINES },
    (_, index): MixedRequest => ({
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

/** A request is pushed, and then used by a signed-in person. Each connection has its own client and person. */
async function preparePushedRequests(program: Program, connections: number): Promise<Scenario[]> {
  const scenarios: Scenario[] = []
  for (let index = 0; index < connections; index++) {
    const clientId = pushingClientId(index)
    const cookie = await signIn(program, personEmail(index % PEOPLE))
    const parameters = toAuthorizationRequest(clientId, randomBytes(32).toString('base64url'))
    scenarios.push(
      createPushScenario({
        push: {
          method: 'POST',
          path: '/api/oauth/par',
          headers: { ...FORM, ...basic(clientId, program.outputs.clientSecret) },
          body: String(new URLSearchParams(parameters)),
        },
        toAuthorize: (uri) => ({
          method: 'GET',
          path: `/oauth/authorize?${new URLSearchParams({ client_id: clientId, request_uri: uri })}`,
          headers: { ...DEVICE, cookie },
        }),
      }),
    )
  }
  return scenarios
}

export const tokenRows: Row[] = [
  {
    id: 'client-credentials',
    name: 'Client credentials',
    program: 'latchkey',
    prepare: prepareClientCredentials,
    compare: [
      { with: 'fastify-sign-1', minRatio: 0.9 },
      { with: 'oidc-provider:client-credentials' },
      { with: 'better-auth:token' },
    ],
  },
  {
    id: 'client-credentials-es256',
    name: 'Client credentials, with ES256 instead of RS256',
    program: 'latchkey',
    prepare: prepareEs256,
    compare: [{ with: 'fastify-sign-es256', minRatio: 0.4 }, { with: 'client-credentials' }],
  },
  {
    id: 'refresh',
    name: 'Refresh that returns an ID token',
    program: 'latchkey',
    prepare: prepareRefresh,
    compare: [
      { with: 'fastify-insert-sign-2', minRatio: 0.9 },
      { with: 'oidc-provider:refresh', minRatio: 1.25 },
      { with: 'fastify-sign-2' },
    ],
  },
  {
    id: 'refresh-dpop',
    name: 'Refresh with a DPoP proof that returns an ID token',
    program: 'latchkey',
    prepare: prepareDpopRefresh,
    compare: [{ with: 'fastify-insert-sign-2-proof', minRatio: 0.5 }, { with: 'refresh' }],
  },
  {
    id: 'pushed-request',
    name: 'Pushed request, then an authorization by it',
    program: 'latchkey',
    prepare: preparePushedRequests,
    compare: [{ with: 'fastify-push', minRatio: 0.25 }],
  },
]
