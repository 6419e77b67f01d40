import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  addLicensedMember,
  createLicensedTenant,
  getMachineToken,
  grant,
  type LicensedTenant,
} from '../licensing/licensed-tenant.ts'
import type { TestService } from '../support/service.ts'
import { withoutChangeFeed } from '../support/without-change-feed.ts'
import { admin, machineToken, obtainTokens, signIn, startDemoService } from '../support/world.ts'
import { createRawClient, type RawClient, type RawRequest, withoutVolatileHeaders } from './raw-client.ts'

let service: TestService
let firm: LicensedTenant
let call: RawClient['call']
let warm: RawClient['warm']
let countCalls: RawClient['countCalls']
beforeAll(async () => {
  service = await startDemoService()
  ;({ call, warm, countCalls } = createRawClient(service))
  firm = await createLicensedTenant(service, { seats: 50 })
})
afterAll(() => service?.close())

const bearer = (text: string) => ({ Authorization: `Bearer ${text}` })

async function newFeatureCheck(): Promise<{
  path: string
  headers: Record<string, string>
  workerId: string
}> {
  const worker = await addLicensedMember(firm)
  const accessToken = await getMachineToken(firm)
  const query = new URLSearchParams({
    userId: worker.id,
    applicationId: firm.applicationId,
    featureKey: 'edit',
  })
  const path = `/api/integration/licenses/feature?${query}`
  return { path, headers: bearer(accessToken), workerId: worker.id }
}

test('a cached response is the same, with its own request id, and is counted and logged', async () => {
  const question = await newFeatureCheck()
  const before = countCalls()
  const first = await call(question)
  const again = await warm(question)
  expect(again.body).toBe('{"hasFeature":true}')
  expect(withoutVolatileHeaders(again.headers)).toEqual(withoutVolatileHeaders(first.headers))
  const id = again.headers['x-request-id']
  expect(id).not.toBe(first.headers['x-request-id'])
  const line = service.logs.find((entry) => JSON.stringify(entry).includes(`"reqId":"${id}"`))
  expect(JSON.stringify(line)).toContain('"route":"/api/integration/licenses/feature","status":200')
  const counted = await service.ctx.metrics.registry.getSingleMetricAsString('latchkey_http_requests_total')
  expect(counted).toMatch(
    new RegExp(`route="/api/integration/licenses/feature",status="200"\\} ${countCalls() - before}$`, 'm'),
  )
})

test('a cached response is not returned to another token, without a token, or with two tokens', async () => {
  const { path, headers } = await newFeatureCheck()
  await warm({ path, headers })
  expect(await call({ path })).toMatchObject({ status: 401 })
  expect(await call({ path, headers: bearer(`${headers.Authorization?.slice(7, -4)}AAAA`) })).toMatchObject({
    status: 401,
  })
  const { Authorization = '' } = headers
  expect(await call({ path, headers: { Authorization: [Authorization, Authorization] } })).toMatchObject({
    status: 401,
  })
})

/** Sends these lines and returns the raw response. */
function sendRaw(...lines: string[]): Promise<string> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  return new Promise((resolve, reject) => {
    let received = ''
    socket.setEncoding('latin1').on('data', (text) => {
      received += text
    })
    socket.on('error', reject)
    socket.on('end', () => resolve(received))
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  })
}

test('an empty Authorization header before a valid one counts, so the request is rejected', async () => {
  const { path, headers } = await newFeatureCheck()
  await warm({ path, headers })
  const host = ['Host: localhost', 'Connection: close']
  const good = `Authorization: ${headers.Authorization}`
  expect(await sendRaw(`GET ${path} HTTP/1.1`, ...host, good)).toContain('HTTP/1.1 200')
  expect(await sendRaw(`GET ${path} HTTP/1.1`, ...host, 'Authorization:', good)).toContain('HTTP/1.1 401')
})

test('a response to an HTTP/1.0 client has a Content-Length', async () => {
  const { path, headers } = await newFeatureCheck()
  await warm({ path, headers })
  const response = await sendRaw(`GET ${path} HTTP/1.0`, `Authorization: ${headers.Authorization}`)
  expect(response).toMatch(/content-length: 19/i)
})

test('request headers that change the response are respected', async () => {
  const { path, headers } = await newFeatureCheck()
  await warm({ path, headers })
  const from = { ...headers, 'X-License-Min-Revision': 'never' }
  expect(await call({ path, headers: from })).toMatchObject({ status: 422 })
  const document = '/.well-known/openid-configuration'
  const { headers: replyHeaders } = await warm({ path: document })
  const conditional = { 'If-None-Match': String(replyHeaders.etag) }
  expect(await call({ path: document, headers: conditional })).toMatchObject({
    status: 304,
  })
  expect(await call({ path: document, method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
  expect(await call({ path: document, method: 'POST' })).toMatchObject({ status: 405 })
})

test('a revoked or granted seat is visible in the next response', async () => {
  const { path, headers, workerId } = await newFeatureCheck()
  await warm({ path, headers })
  await service.ctx.db.deleteFrom('seats').where('user_id', '=', workerId).execute()
  await service.ctx.changes.waitUntilCurrent()
  expect(await call({ path, headers })).toMatchObject({ body: '{"hasFeature":false}' })
  await warm({ path, headers })
  expect(await grant(firm, { id: workerId }, 'pro')).toMatchObject({ status: 201 })
  expect(await call({ path, headers })).toMatchObject({ body: '{"hasFeature":true}' })
})

test('a revoked or expired token is refused by the next request', async () => {
  const { path, headers } = await newFeatureCheck()
  await warm({ path, headers })
  const { Authorization = '' } = headers
  const form = new URLSearchParams({ token: Authorization.slice(7), client_id: firm.machine.clientId })
  await fetch(`${service.url}/api/oauth/revoke`, { method: 'POST', body: form })
  expect(await call({ path, headers })).toMatchObject({ status: 401 })

  const tokens = await obtainTokens(service.url, await signIn(service.url, 'mia@acme.test'))
  const userinfo = { path: '/api/oauth/userinfo', headers: bearer(tokens.access_token) }
  await warm(userinfo)
  service.advance(900_000)
  expect(await call(userinfo)).toMatchObject({ status: 401 })
})

test('an expired license is not returned from the cache', async () => {
  const end = new Date(service.ctx.now().getTime() + 120_000)
  const short = await createLicensedTenant(service, { currentPeriodEnd: end })
  const worker = await addLicensedMember(short)
  const accessToken = await getMachineToken(short)
  const query = new URLSearchParams({ userId: worker.id, applicationId: short.applicationId })
  const question = { path: `/api/integration/licenses/check?${query}`, headers: bearer(accessToken) }
  const left = () => end.getTime() - service.ctx.now().getTime()
  service.advance(left() - 60_000)
  expect((await warm(question)).body).toContain('"hasLicense":true')
  service.advance(left())
  expect(await call(question)).toMatchObject({
    status: 200,
    body: expect.stringContaining('"hasLicense":false'),
  })
})

test('introspection returns the given token from the cache, and never an invalid one', async () => {
  const client = { clientId: 'demo-machine', secret: 'demo-machine-secret' }
  const basic = Buffer.from(`${client.clientId}:${client.secret}`).toString('base64')
  const headers = {
    Authorization: `Basic ${basic}`,
    'Content-Type': 'application/x-www-form-urlencoded',
  }
  const about = (text: string, rest = {}): RawRequest => {
    const form = text === '' ? '' : String(new URLSearchParams({ token: text }))
    return {
      path: '/api/oauth/introspect',
      method: 'POST',
      form,
      headers: { ...headers, 'Content-Length': String(form.length), ...rest },
    }
  }
  const live = await machineToken(service.url, 'demo-machine')
  expect((await warm(about(live))).body).toContain('"active":true')
  expect(await call(about(`${live}x`))).toMatchObject({ status: 200, body: '{"active":false}' })
  expect(await call(about(''))).toMatchObject({ status: 400 })
  const wrong = Buffer.from(`${client.clientId}:${client.secret}x`).toString('base64')
  expect(await call(about(live, { Authorization: `Basic ${wrong}` }))).toMatchObject({ status: 401 })
  expect(await call(about(live, { 'Content-Type': 'text/plain' }))).toMatchObject({ status: 400 })
  await warm(about(live))
  await fetch(`${service.url}/api/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ token: live, client_id: client.clientId }),
  })
  expect(await call(about(live))).toMatchObject({ status: 200, body: '{"active":false}' })
})

test('the cache is not used while the change feed is disconnected', async () => {
  const question = await newFeatureCheck()
  await warm(question)
  await withoutChangeFeed([service], async () => {
    expect(service.ctx.changes.isCurrent()).toBe(false)
    expect(await call(question)).toMatchObject({ status: 200, cached: false })
  })
})

test('a new signing key is published immediately', async () => {
  const { body } = await warm({ path: '/api/oauth/jwks' })
  await admin(service.url, '/api/admin/keys/rotate', {})
  const { body: after } = await call({ path: '/api/oauth/jwks' })
  expect(JSON.parse(after).keys.length).toBeGreaterThan(JSON.parse(body).keys.length)
})

test('a rate-limited client gets no cached response, even with the right secret', async () => {
  const secret = 'demo-machine-secret'
  const live = await machineToken(service.url, 'demo-machine')
  const form = String(new URLSearchParams({ token: live }))
  const question = (clientSecret: string): RawRequest => ({
    path: '/api/oauth/introspect',
    method: 'POST',
    form,
    headers: {
      Authorization: `Basic ${Buffer.from(`demo-machine:${clientSecret}`).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': String(form.length),
    },
  })
  await warm(question(secret))
  let guesses = 0
  while ((await call(question(`guess ${guesses}`))).status !== 429) {
    await call(question(secret))
    expect(guesses++).toBeLessThanOrEqual(service.ctx.config.limits.clientFailures)
  }
  expect(await call(question(secret))).toMatchObject({ status: 429 })
})
