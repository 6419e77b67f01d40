import { createProofSigner } from '../proof-signer.ts'
import { createPushScenario } from '../push-scenario.ts'
import {
  type HttpRequest,
  onEveryConnection,
  type Row,
  type Scenario,
  withFixedRequest,
  withFixedResponse,
} from '../row.ts'

/** The limits of the machine, for comparison with the service. */

/** The same request every time. The response must have status 200 and the expected body. */
const createScenario = (request: HttpRequest, expected: string | RegExp): Scenario => ({
  request,
  check: ({ status, body }) => {
    const isValid = typeof expected === 'string' ? body === expected : expected.test(body)
    return status === 200 && isValid ? undefined : `${request.path} must respond with 200 and ${expected}`
  },
})

const limit = (id: string, name: string, scenario: Scenario): Row => ({
  id,
  name,
  program: 'limits',
  prepare: async (_, connections) => onEveryConnection(scenario, connections),
})

const json = withFixedResponse(createScenario({ method: 'GET', path: '/json' }, '{"hasFeature":true}'))
const JWT = '[\\w-]+\\.[\\w-]+\\.[\\w-]{342}'
const EC_JWT = '[\\w-]+\\.[\\w-]+\\.[\\w-]{86}'
const TWO_TOKENS = new RegExp(`"id_token":"${JWT}"\\}$`)

/** Measured first and last in each round, to show how the speed of the machine varies. */
export const baselineFirst = limit('fastify-before', 'Bare Fastify, first', json)
export const baselineLast = limit('fastify-after', 'Bare Fastify, last', json)

export const limitRows: Row[] = [
  limit('fastify', 'Bare Fastify: JSON', json),
  limit(
    'fastify-observed',
    'Fastify with security headers, a log line and metrics',
    withFixedResponse(createScenario({ method: 'GET', path: '/observed' }, '{"hasFeature":true}')),
  ),
  {
    id: 'fastify-verify',
    name: 'Fastify + a remembered JWT',
    program: 'limits',
    prepare: async ({ outputs: { token } }, connections) =>
      onEveryConnection(
        withFixedResponse(
          createScenario(
            { method: 'GET', path: '/verify', headers: { authorization: `Bearer ${token}` } },
            /^\{"sub":"[\w-]{36}"\}$/,
          ),
        ),
        connections,
      ),
  },
  limit(
    'fastify-select',
    'Fastify + one indexed SELECT',
    createScenario({ method: 'GET', path: '/select' }, /^\{"name":"thing \d+"\}$/),
  ),
  limit(
    'fastify-insert',
    'Fastify + one INSERT, on disk',
    createScenario({ method: 'POST', path: '/insert' }, /^\{"id":"[\w-]{36}"\}$/),
  ),
  limit(
    'fastify-sign-1',
    'Fastify + one RS256 signature',
    withFixedRequest(createScenario({ method: 'POST', path: '/sign/1' }, new RegExp(`^\\{"access_token":"${JWT}"`))),
  ),
  limit(
    'fastify-sign-2',
    'Fastify + two RS256 signatures',
    withFixedRequest(createScenario({ method: 'POST', path: '/sign/2' }, TWO_TOKENS)),
  ),
  limit(
    'fastify-insert-sign-2',
    'Fastify + one INSERT and two RS256 signatures',
    withFixedRequest(createScenario({ method: 'POST', path: '/insert/sign/2' }, TWO_TOKENS)),
  ),
  limit(
    'fastify-sign-es256',
    'Fastify + one ES256 signature',
    withFixedRequest(
      createScenario({ method: 'POST', path: '/sign/es256' }, new RegExp(`^\\{"access_token":"${EC_JWT}"`)),
    ),
  ),
  {
    id: 'fastify-insert-sign-2-proof',
    name: 'Fastify + one ES256 verification, one INSERT and two RS256 signatures',
    program: 'limits',
    prepare: async ({ url }, connections) =>
      Array.from({ length: connections }, () => {
        const path = '/insert/sign/2/proof'
        const sign = createProofSigner('POST', url + path)
        const { check } = createScenario({ method: 'POST', path }, TWO_TOKENS)
        return { request: () => ({ method: 'POST', path, headers: { dpop: sign() } }), check }
      }),
  },
  {
    id: 'fastify-push',
    name: 'Fastify + one INSERT, then one SELECT and one INSERT',
    program: 'limits',
    prepare: async (_, connections) =>
      Array.from({ length: connections }, () =>
        createPushScenario({
          push: { method: 'POST', path: '/push' },
          toAuthorize: (uri) => ({ method: 'GET', path: `/authorize?request_uri=${uri}` }),
        }),
      ),
  },
  limit(
    'fastify-argon2',
    'Fastify + argon2id',
    createScenario({ method: 'POST', path: '/argon2' }, '{"matches":true}'),
  ),
  {
    ...limit('fastify-under-signing', 'Bare Fastify during signing on 32 connections', json),
    background: 'fastify-sign-2',
  },
]
