import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import {
  admin,
  authorize,
  authorizeUrl,
  changeClient,
  exchange,
  findIds,
  introspect,
  machineToken,
  obtainTokens,
  refresh,
  signIn,
  startDemoService,
  type Tokens,
  thirdParty,
  userinfo,
} from '../support/world.ts'
import { askForCodes, type DeviceReply, decide, poll, setDeviceFlow } from './device-steps.ts'
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
  await changeClient(service, 'demo-web', { tokenExchange: true })
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

test('an authorization with a pushed request: seven statements', async () => {
  const body = new URLSearchParams(new URL(authorizeUrl(url)).searchParams)
  const pushed = await fetch(`${url}/api/oauth/par`, { method: 'POST', body })
  const { request_uri } = (await pushed.json()) as { request_uri: string }
  const query = new URLSearchParams({ client_id: 'demo-spa', request_uri })
  const send = () => fetch(`${url}/oauth/authorize?${query}`, { headers: { cookie }, redirect: 'manual' })
  await expectStatements(7, async () => expect((await send()).headers.get('location')).toContain('code='))
})

test('a third-party application: one statement more for an authorization, none for other requests', async () => {
  const { id, clientId: client_id } = await thirdParty(url)
  const { userId, tenantId } = await findIds(service, 'mia@acme.test', 'acme')
  const { db } = service.ctx
  const client = db.selectFrom('clients').select('application_id').where('id', '=', id)
  const { application_id } = await client.executeTakeFirstOrThrow()
  const consent = { user_id: userId, application_id, tenant_id: tenantId, granted_at: new Date() }
  const scopes = ['openid', 'profile', 'email', 'offline_access']
  await db
    .insertInto('consents')
    .values({ ...consent, scopes })
    .execute()
  // Fills the caches.
  await exchange(url, (await authorize(url, cookie, { client_id })).answer.code, { client_id })
  let code: string | undefined
  await expectStatements(4, async () => {
    code = (await authorize(url, cookie, { client_id })).answer.code
  })
  let refreshToken = ''
  await expectStatements(2, async () => {
    refreshToken = (await exchange(url, code, { client_id })).body.refresh_token
  })
  const renew = async () => {
    refreshToken = (await refresh(url, refreshToken, { client_id })).body.refresh_token
  }
  await expectStatements(2, renew)
  await expectStatements(1, renew)
})

test('a resource: no statement more once it was read', async () => {
  const { application_id: applicationId } = await service.ctx.db
    .selectFrom('clients')
    .select('application_id')
    .where('client_id', '=', 'demo-spa')
    .executeTakeFirstOrThrow()
  const resource = 'https://api.example.com/statements'
  await admin(url, '/api/admin/resources', { applicationId, name: 'API', uri: resource, scopes: [] })
  await obtainTokens(url, cookie, { resource })
  let code: string | undefined
  await expectStatements(3, async () => {
    code = (await authorize(url, cookie, { resource })).answer.code
  })
  let tokens: Tokens | undefined
  await expectStatements(2, async () => {
    tokens = (await exchange(url, code)).body
  })
  await expectStatements(1, () => introspect(url, tokens?.access_token ?? ''))
})

test('a device: two statements to start, one to wait, three for the tokens', async () => {
  await setDeviceFlow(service, 'demo-spa', true)
  await askForCodes(url)
  let codes: DeviceReply | undefined
  await expectStatements(2, async () => {
    codes = (await askForCodes(url)).body
  })
  const asked = codes as DeviceReply
  await expectStatements(1, () => poll(url, asked))
  await decide(url, cookie, asked)
  await expectStatements(3, () => poll(url, asked))
})

test('the key set, and discovery once it was read: no statement', async () => {
  await expectStatements(0, () => fetch(`${url}/api/oauth/jwks`))
  await fetch(`${url}/.well-known/openid-configuration`)
  await expectStatements(0, () => fetch(`${url}/.well-known/openid-configuration`))
})
