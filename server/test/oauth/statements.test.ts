import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import {
  authorize,
  exchange,
  introspect,
  machineToken,
  obtainTokens,
  refresh,
  signIn,
  startWorld,
  userinfo,
} from '../support/world.ts'

let service: TestService
let watch: StatementWatch
let url: string
let cookie: string

beforeAll(async () => {
  service = await startWorld()
  url = service.url
  watch = await watchStatements(service)
  cookie = await signIn(url, 'mia@acme.test')
  // Whatever is read once is read now.
  await obtainTokens(url, cookie)
  await machineToken(url, 'demo-machine')
  await introspect(url, 'none')
  await service.ctx.changes.settle()
})
afterAll(async () => {
  await watch?.close()
  await service?.close()
})

const count = (work: () => Promise<unknown>) => watch.count(work)

/** The figures of docs/openid-connect.md. */
test('client credentials: no statement when the client is known', async () => {
  expect(await count(() => machineToken(url, 'demo-machine'))).toBe(0)
})

test('code exchange: two statements, with PKCE and a refresh token', async () => {
  const { answer } = await authorize(url, cookie)
  expect(await count(() => exchange(url, answer.code))).toBe(2)
})

test('refresh: two statements, and one for a token that this process gave for another', async () => {
  const { refresh_token } = await obtainTokens(url, cookie)
  let next = ''
  const renew = async (token: string) => {
    next = (await refresh(url, token)).body.refresh_token
  }
  expect(await count(() => renew(refresh_token))).toBe(2)
  expect(await count(() => renew(next))).toBe(1)
})

test('userinfo and introspection: one statement for a new token, none for one in use', async () => {
  const { access_token } = await obtainTokens(url, cookie)
  expect(await count(() => userinfo(url, access_token))).toBe(1)
  expect(await count(() => userinfo(url, access_token))).toBe(0)
  expect(await count(() => introspect(url, access_token))).toBe(0)
})

test('introspection of a refresh token: one statement', async () => {
  const { refresh_token } = await obtainTokens(url, cookie)
  expect(await count(() => introspect(url, refresh_token))).toBe(1)
})

test('an authorization of somebody signed in: three statements', async () => {
  expect(await count(() => authorize(url, cookie))).toBe(3)
})

test('discovery and the key set: none', async () => {
  expect(await count(() => fetch(`${url}/api/oauth/jwks`))).toBe(0)
  expect(await count(() => fetch(`${url}/.well-known/openid-configuration`))).toBe(0)
})
