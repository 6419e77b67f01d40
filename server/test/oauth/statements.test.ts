import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import {
  admin,
  authorize,
  authorizeUrl,
  exchange,
  introspect,
  machineToken,
  obtainTokens,
  refresh,
  signIn,
  startDemoService,
  userinfo,
} from '../support/world.ts'
import { exchangeToken } from './exchange-steps.ts'
import { newKey, newKeyClient, requestToken, sign, validClaims } from './key-clients.ts'

let service: TestService
let watch: StatementWatch
let url: string
let cookie: string

beforeAll(async () => {
  service = await startDemoService()
  url = service.url
  watch = await watchStatements(service)
  cookie = await signIn(url, 'mia@acme.test')
  // Fills the caches.
  await obtainTokens(url, cookie)
  await machineToken(url, 'demo-machine')
  await introspect(url, 'none')
  await service.ctx.changes.waitUntilCurrent()
})
afterAll(async () => {
  await watch?.close()
  await service?.close()
})

/** The message of a failure lists the statements. */
async function expectStatements(expected: number, work: () => Promise<unknown>): Promise<void> {
  const statements = await watch.list(work)
  const total = statements.reduce((sum, { calls }) => sum + calls, 0)
  expect(total, JSON.stringify(statements, undefined, 2)).toBe(expected)
}

/** The statement counts of docs/openid-connect.md. */
test('client credentials: no statement for a cached client', async () => {
  await expectStatements(0, () => machineToken(url, 'demo-machine'))
})

test('client credentials with an assertion: one statement', async () => {
  const key = await newKey('ES256')
  const { clientId } = await newKeyClient(url, { jwks: { keys: [key.publicJwk] } })
  const authenticate = async () => requestToken(url, await sign(key, validClaims(url, clientId)))
  await authenticate()
  await expectStatements(1, authenticate)
})

test('token exchange: one statement', async () => {
  const { id } = await service.ctx.db
    .selectFrom('clients')
    .select('id')
    .where('client_id', '=', 'demo-web')
    .executeTakeFirstOrThrow()
  await admin(url, `/api/admin/clients/${id}`, { tokenExchange: true }, 'PATCH')
  const web = { clientId: 'demo-web', clientSecret: 'demo-web-secret' }
  const { access_token } = await obtainTokens(url, cookie)
  await exchangeToken(url, web, access_token)
  await expectStatements(1, () => exchangeToken(url, web, access_token))
})

test('code exchange: two statements, with PKCE and a refresh token', async () => {
  const { answer } = await authorize(url, cookie)
  await expectStatements(2, () => exchange(url, answer.code))
})

test('refresh: two statements, or one for a token that this process issued by a rotation', async () => {
  const { refresh_token } = await obtainTokens(url, cookie)
  let next = ''
  const renew = async (token: string) => {
    next = (await refresh(url, token)).body.refresh_token
  }
  await expectStatements(2, () => renew(refresh_token))
  await expectStatements(1, () => renew(next))
})

test('userinfo and introspection: one statement for a new token, none for a cached one', async () => {
  const { access_token } = await obtainTokens(url, cookie)
  await expectStatements(1, () => userinfo(url, access_token))
  await expectStatements(0, () => userinfo(url, access_token))
  await expectStatements(0, () => introspect(url, access_token))
})

test('introspection of a refresh token: one statement', async () => {
  const { refresh_token } = await obtainTokens(url, cookie)
  await expectStatements(1, () => introspect(url, refresh_token))
})

test('an authorization of a signed-in user: three statements', async () => {
  await expectStatements(3, () => authorize(url, cookie))
})

test('a pushed request: two statements', async () => {
  const body = new URLSearchParams(new URL(authorizeUrl(url)).searchParams)
  await expectStatements(2, () => fetch(`${url}/api/oauth/par`, { method: 'POST', body }))
})

test('the key set, and discovery once it was read: no statement', async () => {
  await expectStatements(0, () => fetch(`${url}/api/oauth/jwks`))
  await fetch(`${url}/.well-known/openid-configuration`)
  await expectStatements(0, () => fetch(`${url}/.well-known/openid-configuration`))
})
