import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { authorize, exchange, signIn, startDemoService } from '../support/world.ts'

let service: TestService
let url: string

beforeAll(async () => {
  service = await startDemoService()
  url = service.url
})
afterAll(() => service.close())
beforeEach(() => {
  service.logs.length = 0
})

const refusals = () => service.logs.filter(({ msg }) => msg === 'request refused')

const postToken = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${url}/api/oauth/token`, { method: 'POST', body: new URLSearchParams(fields), headers })

const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` })

test('a redirect_uri that is not registered is logged with the registered ones', async () => {
  const redirect_uri = 'http://localhost:8081/callback'
  const cookie = await signIn(url, 'mia@acme.test')
  const { response } = await authorize(url, cookie, { redirect_uri })
  expect(response.status).toBe(400)
  expect(refusals()).toEqual([
    expect.objectContaining({
      clientId: 'demo-spa',
      error: 'invalid_request',
      reason: 'its redirect_uri is not registered for the application',
      redirectUri: redirect_uri,
      registered: ['http://localhost:8080/callback'],
      reqId: expect.any(String),
    }),
  ])
})

test('an authorization error that is sent to the client is logged', async () => {
  const cookie = await signIn(url, 'mia@acme.test')
  await authorize(url, cookie, { code_challenge_method: 'S512' })
  expect(refusals()).toMatchObject([
    { clientId: 'demo-spa', error: 'invalid_request', reason: 'The code_challenge_method must be S256 or plain.' },
  ])
})

test('a refused token request is logged with what was compared, and without secrets', async () => {
  const cookie = await signIn(url, 'mia@acme.test')
  const { answer } = await authorize(url, cookie)
  const code = answer.code ?? ''
  const redirect_uri = 'http://localhost:8080/other'
  await exchange(url, code, { redirect_uri })
  await postToken({ grant_type: 'client_credentials', client_id: 'demo-spa' })
  await postToken({ grant_type: 'client_credentials' }, basic('demo-machine', 'a-wrong-secret'))
  await postToken({ grant_type: 'client_credentials', scope: 'root' }, basic('demo-machine', 'demo-machine-secret'))
  expect(refusals()).toMatchObject([
    {
      clientId: 'demo-spa',
      error: 'invalid_grant',
      redirectUri: redirect_uri,
      expected: 'http://localhost:8080/callback',
    },
    { clientId: 'demo-spa', error: 'unauthorized_client', kinds: ['MACHINE'] },
    { clientId: 'demo-machine', error: 'invalid_client', problem: 'wrong_secret' },
    { clientId: 'demo-machine', error: 'invalid_scope', scope: 'root' },
  ])
  for (const secret of [code, 'a-wrong-secret', 'demo-machine-secret']) {
    expect(JSON.stringify(refusals())).not.toContain(secret)
  }
})

test('what a caller sends is cut in the log', async () => {
  const cookie = await signIn(url, 'mia@acme.test')
  await authorize(url, cookie, { redirect_uri: `http://localhost:8080/${'c'.repeat(500)}` })
  expect(refusals()).toMatchObject([{ redirectUri: `http://localhost:8080/${'c'.repeat(178)}` }])
})

test('an unknown client_id is not logged, because it may be a secret in the wrong field', async () => {
  await postToken({ grant_type: 'client_credentials', client_id: 'demo-machine-secret' })
  const cookie = await signIn(url, 'mia@acme.test')
  await authorize(url, cookie, { client_id: 'demo-machine-secret' })
  expect(refusals()).toMatchObject([{ problem: 'unknown_client' }, { problem: 'unknown_client' }])
  expect(JSON.stringify(refusals())).not.toContain('demo-machine-secret')
})
