import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Firm, grant, hireLicensed, openFirm, tokenOf } from '../licensing/firm.ts'
import { whileDeaf } from '../support/deaf.ts'
import type { TestService } from '../support/service.ts'
import { admin, machineToken, obtainTokens, signIn, startWorld } from '../support/world.ts'
import { type Asker, askerOf, type Question, withoutMoment } from './asking.ts'

// Whoever asks the same again is given the same answer, before all else, and never one that is not true any more.

let service: TestService
let firm: Firm
let call: Asker['call']
let warm: Asker['warm']
let countCalls: Asker['countCalls']
beforeAll(async () => {
  service = await startWorld()
  ;({ call, warm, countCalls } = askerOf(service))
  firm = await openFirm(service, { seats: 50 })
})
afterAll(() => service?.close())

const bearer = (text: string) => ({ Authorization: `Bearer ${text}` })

async function asker(): Promise<{ path: string; headers: Record<string, string>; workerId: string }> {
  const worker = await hireLicensed(firm)
  const accessToken = await tokenOf(firm)
  const query = new URLSearchParams({
    userId: worker.id,
    applicationId: firm.applicationId,
    featureKey: 'edit',
  })
  const path = `/api/integration/licenses/feature?${query}`
  return { path, headers: bearer(accessToken), workerId: worker.id }
}

test('an answer given again is the same, with a name of its own, counted and logged', async () => {
  const question = await asker()
  const before = countCalls()
  const first = await call(question)
  const again = await warm(question)
  expect(again.body).toBe('{"hasFeature":true}')
  expect(withoutMoment(again.headers)).toEqual(withoutMoment(first.headers))
  const id = again.headers['x-request-id']
  expect(id).not.toBe(first.headers['x-request-id'])
  const line = service.logs.find((entry) => JSON.stringify(entry).includes(`"reqId":"${id}"`))
  expect(JSON.stringify(line)).toContain('"route":"/api/integration/licenses/feature","status":200')
  const counted = await service.ctx.figures.registry.getSingleMetricAsString('latchkey_http_requests_total')
  expect(counted).toMatch(
    new RegExp(`route="/api/integration/licenses/feature",status="200"\\} ${countCalls() - before}$`, 'm'),
  )
})

test('it is not given to another token, to none, or to two at once', async () => {
  const { path, headers } = await asker()
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

/** Asks in the very words, and reads all that comes back. */
function say(...lines: string[]): Promise<string> {
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

test('an empty header before another is the first of two', async () => {
  const { path, headers } = await asker()
  await warm({ path, headers })
  const host = ['Host: localhost', 'Connection: close']
  const good = `Authorization: ${headers.Authorization}`
  expect(await say(`GET ${path} HTTP/1.1`, ...host, good)).toContain('HTTP/1.1 200')
  expect(await say(`GET ${path} HTTP/1.1`, ...host, 'Authorization:', good)).toContain('HTTP/1.1 401')
})

test('an older client is told how long the answer is', async () => {
  const { path, headers } = await asker()
  await warm({ path, headers })
  const answer = await say(`GET ${path} HTTP/1.0`, `Authorization: ${headers.Authorization}`)
  expect(answer).toMatch(/content-length: 19/i)
})

test('headers that change an answer are heeded', async () => {
  const { path, headers } = await asker()
  await warm({ path, headers })
  const from = { ...headers, 'X-License-Min-Revision': 'never' }
  expect(await call({ path, headers: from })).toMatchObject({ status: 422, again: false })
  const document = '/.well-known/openid-configuration'
  const { headers: told } = await warm({ path: document })
  expect(await call({ path: document, headers: { 'If-None-Match': String(told.etag) } })).toMatchObject({
    status: 304,
  })
  expect(await call({ path: document, method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
  expect(await call({ path: document, method: 'POST' })).toMatchObject({ status: 405 })
})

test('a seat that is taken away is gone from the next answer on, and one that is given is there', async () => {
  const { path, headers, workerId } = await asker()
  await warm({ path, headers })
  await service.ctx.db.deleteFrom('seats').where('user_id', '=', workerId).execute()
  await service.ctx.changes.settle()
  expect(await call({ path, headers })).toMatchObject({ body: '{"hasFeature":false}' })
  await warm({ path, headers })
  expect(await grant(firm, { id: workerId }, 'pro')).toMatchObject({ status: 201 })
  expect(await call({ path, headers })).toMatchObject({ body: '{"hasFeature":true}' })
})

test('a token that is revoked, or has expired, is refused from the next answer on', async () => {
  const { path, headers } = await asker()
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

test('a licence that runs out is gone with the moment, however often it was asked for', async () => {
  const end = new Date(service.ctx.now().getTime() + 120_000)
  const short = await openFirm(service, { currentPeriodEnd: end })
  const worker = await hireLicensed(short)
  const accessToken = await tokenOf(short)
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

test('introspection tells of the token that it is asked about, and of none that is dead', async () => {
  const client = { clientId: 'demo-machine', secret: 'demo-machine-secret' }
  const basic = Buffer.from(`${client.clientId}:${client.secret}`).toString('base64')
  const headers = {
    Authorization: `Basic ${basic}`,
    'Content-Type': 'application/x-www-form-urlencoded',
  }
  const about = (text: string, rest = {}): Question => {
    const form = text === '' ? '' : String(new URLSearchParams({ token: text }))
    return {
      ...{ path: '/api/oauth/introspect', method: 'POST', form },
      headers: { ...headers, 'Content-Length': String(form.length), ...rest },
    }
  }
  const live = await machineToken(service.url, 'demo-machine')
  expect((await warm(about(live))).body).toContain('"active":true')
  expect(await call(about(`${live}x`))).toMatchObject({ status: 200, body: '{"active":false}' })
  expect(await call(about(''))).toMatchObject({ status: 400, again: false })
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

test('nothing is given again while changes may go unheard', async () => {
  const question = await asker()
  await warm(question)
  await whileDeaf([service], async () => {
    expect(service.ctx.changes.isCurrent()).toBe(false)
    expect(await call(question)).toMatchObject({ status: 200, again: false })
  })
})

test('new keys are published at once', async () => {
  const { body } = await warm({ path: '/api/oauth/jwks' })
  await admin(service.url, '/api/admin/keys/rotate', {})
  const { body: after } = await call({ path: '/api/oauth/jwks' })
  expect(JSON.parse(after).keys.length).toBeGreaterThan(JSON.parse(body).keys.length)
})

test('who must wait for having guessed is not given an answer, with the right secret either', async () => {
  const secret = 'demo-machine-secret'
  const live = await machineToken(service.url, 'demo-machine')
  const form = String(new URLSearchParams({ token: live }))
  const question = (shown: string): Question => ({
    ...{ path: '/api/oauth/introspect', method: 'POST', form },
    headers: {
      Authorization: `Basic ${Buffer.from(`demo-machine:${shown}`).toString('base64')}`,
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
