import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { call, errorReply, findLinkToken, listMailTo, logIn } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'

let service: TestService
beforeAll(async () => {
  const { limits } = loadConfig('demo', {})
  service = await startDemoService({
    config: { trustedProxies: ['127.0.0.1'], limits: { ...limits, confirmFailures: FAILURES } },
  })
})
afterAll(() => service.close())

/** The failure limit per link; per network it is ten times as high. */
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

/** Two people register one address, so its links require a password. */
async function contestedLink(): Promise<{ email: string; token: string | undefined }> {
  const email = `contested-${randomBytes(4).toString('hex')}@people.test`
  for (const password of [FIRST, SECOND]) {
    expect((await post('/api/auth/register', { email, password })).status).toBe(201)
  }
  const [newest] = await listMailTo(service, email)
  return { email, token: newest && findLinkToken(newest) }
}

test('concurrent wrong passwords for a link hold no connection and are rate limited', async () => {
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

test('wrong passwords block a link for a while, on every network', async () => {
  const { token } = await contestedLink()
  for (let index = 0; index < FAILURES; index++) {
    expect(await verify(token, 'wrong', `10.8.${index}.1`)).toMatchObject(needsPassword)
  }
  const refused = await verify(token, SECOND, '10.7.0.1')
  expect(refused).toMatchObject(errorReply(429, 'RATE_LIMITED'))
  const other = await contestedLink()
  expect((await verify(other.token, SECOND, '10.7.0.1')).status).toBe(200)
})

test('wrong passwords for any links are limited per network', async () => {
  const from = '10.6.0.1'
  for (let links = 0; links < 10; links++) {
    const { token } = await contestedLink()
    await Promise.all(Array.from({ length: FAILURES }, () => verify(token, 'wrong', from)))
  }
  const { token } = await contestedLink()
  expect(await verify(token, SECOND, from)).toMatchObject(errorReply(429, 'RATE_LIMITED'))
  expect((await verify(token, SECOND, '10.5.0.1')).status).toBe(200)
})

test('a missing password is reported as needed and does not count as a guess', async () => {
  const { email, token } = await contestedLink()
  for (let index = 0; index <= FAILURES; index++) {
    expect(await post('/api/auth/email/verify', { token })).toMatchObject(needsPassword)
  }
  expect((await verify(token, SECOND)).status).toBe(200)
  expect((await logIn(service.url, email, SECOND)).status).toBe(200)
})
