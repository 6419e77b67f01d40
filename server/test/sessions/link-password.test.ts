import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { call, failure, logIn, mailTo, tokenIn } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'

let service: TestService
beforeAll(async () => {
  const { limits } = loadConfig('demo', {})
  service = await startWorld({
    config: { trustedProxies: ['127.0.0.1'], limits: { ...limits, confirmFailures: FAILURES } },
  })
})
afterAll(() => service.close())

/** Wrong passwords for one link; from one network there may be ten times as many. */
const FAILURES = 5
const [FIRST, SECOND] = ['password of the first', 'password of the second']
const needsPassword = {
  status: 400,
  body: { error: 'INVALID_TOKEN', details: { reason: 'PASSWORD_NEEDED' } },
}

const post = (path: string, body: unknown, from = '10.9.0.1') =>
  call(service.url + path, { method: 'POST', body, headers: { 'x-forwarded-for': from } })
const verify = (token: string | undefined, password: string, from?: string) =>
  post('/api/auth/email/verify', { token, password }, from)

/** Two people sign up with one address: the links ask for the password chosen along with them. */
async function contestedLink(): Promise<{ email: string; token: string | undefined }> {
  const email = `contested-${randomBytes(4).toString('hex')}@people.test`
  for (const password of [FIRST, SECOND]) {
    expect((await post('/api/auth/register', { email, password })).status).toBe(201)
  }
  const [newest] = await mailTo(service, email)
  return { email, token: newest && tokenIn(newest) }
}

test('many wrong passwords for a link at once hold no connection, and are limited', async () => {
  const { token } = await contestedLink()
  const guesses = Array.from({ length: 60 }, (_, index) => verify(token, `guess ${index}`))
  const probes: number[] = []
  let isOver = false
  const answers = Promise.all(guesses).finally(() => {
    isOver = true
  })
  while (!isOver) {
    probes.push((await fetch(`${service.url}/health/ready`)).status)
  }
  expect(new Set(probes)).toEqual(new Set([200]))
  const statuses = (await answers).map(({ status }) => status)
  expect(statuses.filter((status) => status === 400).length).toBeLessThanOrEqual(FAILURES)
  expect(new Set(statuses)).toEqual(new Set([400, 429]))
})

test('after some wrong passwords a link is refused for a while, from every network', async () => {
  const { token } = await contestedLink()
  for (let index = 0; index < FAILURES; index++) {
    expect(await verify(token, 'wrong', `10.8.${index}.1`)).toMatchObject(needsPassword)
  }
  const refused = await verify(token, SECOND, '10.7.0.1')
  expect(refused).toMatchObject(failure(429, 'RATE_LIMITED'))
  const other = await contestedLink()
  expect((await verify(other.token, SECOND, '10.7.0.1')).status).toBe(200)
})

test('ten times as many wrong passwords, for whichever links, are all that one network may send', async () => {
  const from = '10.6.0.1'
  for (let links = 0; links < 10; links++) {
    const { token } = await contestedLink()
    await Promise.all(Array.from({ length: FAILURES }, () => verify(token, 'wrong', from)))
  }
  const { token } = await contestedLink()
  expect(await verify(token, SECOND, from)).toMatchObject(failure(429, 'RATE_LIMITED'))
  expect((await verify(token, SECOND, '10.5.0.1')).status).toBe(200)
})

test('without a password the link says that one is needed, and that is no guess', async () => {
  const { email, token } = await contestedLink()
  for (let index = 0; index <= FAILURES; index++) {
    expect(await post('/api/auth/email/verify', { token })).toMatchObject(needsPassword)
  }
  expect((await verify(token, SECOND)).status).toBe(200)
  expect((await logIn(service.url, email, SECOND)).status).toBe(200)
})
