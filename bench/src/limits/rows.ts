import { asked, everywhere, type Request, type Row, steady, type Talk } from '../row.ts'

/** The limits of the machine, beside which the service is measured. */

/** What is always asked the same way, and answered well with 200 and a body in which something stands. */
const plain = (request: Request, expected: string | RegExp): Talk => ({
  request,
  check: ({ status, body }) => {
    const isRight = typeof expected === 'string' ? body === expected : expected.test(body)
    return status === 200 && isRight ? undefined : `${request.path} must answer 200 and ${expected}`
  },
})

const limit = (id: string, name: string, talk: Talk): Row => ({
  ...{ id, name, program: 'limits' },
  prepare: async (_, connections) => everywhere(talk, connections),
})

const json = steady(plain({ method: 'GET', path: '/json' }, '{"hasFeature":true}'))
const JWT = '[\\w-]+\\.[\\w-]+\\.[\\w-]{342}'
const TWO_TOKENS = new RegExp(`"id_token":"${JWT}"\\}$`)

/** Measured first and last as well: how far the machine itself has moved meanwhile. */
export const bareBefore = limit('fastify-before', 'Bare Fastify, first', json)
export const bareAfter = limit('fastify-after', 'Bare Fastify, last', json)

export const limitRows: Row[] = [
  limit('fastify', 'Bare Fastify: JSON', json),
  {
    ...{ id: 'fastify-verify', name: 'Fastify + a remembered JWT', program: 'limits' },
    prepare: async ({ facts: { token } }, connections) =>
      everywhere(
        steady(
          plain(
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
    plain({ method: 'GET', path: '/select' }, /^\{"name":"thing \d+"\}$/),
  ),
  limit(
    'fastify-insert',
    'Fastify + one INSERT, on disk',
    plain({ method: 'POST', path: '/insert' }, /^\{"id":"[\w-]{36}"\}$/),
  ),
  limit(
    'fastify-sign-1',
    'Fastify + one RS256 signature',
    asked(plain({ method: 'POST', path: '/sign/1' }, new RegExp(`^\\{"access_token":"${JWT}"`))),
  ),
  limit(
    'fastify-sign-2',
    'Fastify + two RS256 signatures',
    asked(plain({ method: 'POST', path: '/sign/2' }, TWO_TOKENS)),
  ),
  limit(
    'fastify-insert-sign-2',
    'Fastify + one INSERT and two RS256 signatures',
    asked(plain({ method: 'POST', path: '/insert/sign/2' }, TWO_TOKENS)),
  ),
  limit(
    'fastify-argon2',
    'Fastify + argon2id',
    plain({ method: 'POST', path: '/argon2' }, '{"matches":true}'),
  ),
  { ...limit('fastify-under-signing', 'Bare Fastify while 32 sign', json), meanwhile: 'fastify-sign-2' },
]
