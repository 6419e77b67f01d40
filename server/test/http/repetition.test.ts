import { pbkdf2 } from 'node:crypto'
import { request as ask } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Firm, grant, hireLicensed, openFirm, tokenOf } from '../licensing/firm.ts'
import { whileDeaf } from '../support/deaf.ts'
import type { TestService } from '../support/service.ts'
import {
  admin,
  claimsOf,
  introspect,
  machineToken,
  obtainTokens,
  signIn,
  startWorld,
} from '../support/world.ts'

// Whoever asks the same again is given the same answer, before all else, and never one that is not true any more.

let service: TestService
let firm: Firm
beforeAll(async () => {
  service = await startWorld()
  firm = await openFirm(service, { seats: 50 })
})
afterAll(() => service?.close())

interface Reply {
  status: number
  headers: Record<string, unknown>
  body: string
  /** Given again: nothing that is remembered was looked at. */
  again: boolean
}

interface Question {
  path: string
  method?: string
  headers?: Record<string, string | string[]>
  form?: string
}

let calls = 0

function call({ path, method = 'GET', headers = {}, form }: Question): Promise<Reply> {
  calls++
  const { memory } = service.ctx
  const before = memory.describe().hits + memory.describe().misses
  return new Promise((resolve, reject) => {
    const request = ask(service.url + path, { method, headers }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text) => {
        body += text
      })
      response.on('end', () => {
        const after = memory.describe().hits + memory.describe().misses
        const { statusCode: status = 0, headers: told } = response
        resolve({ status, headers: told, body, again: before === after })
      })
    })
    request.on('error', reject)
    request.end(form)
  })
}

const derive = promisify(pbkdf2)

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

/**
 * Asked until the answer is given again: as a rule the third time, later where a change is still being heard of or
 * what was asked has just been forgotten.
 */
async function warm(question: Question): Promise<Reply> {
  await service.ctx.changes.settle()
  let reply = await call(question)
  for (let asked = 1; !reply.again && asked < 10; asked++) reply = await call(question)
  expect(reply).toMatchObject({ status: 200, again: true })
  return reply
}

const withoutMoment = ({ date, 'x-request-id': _id, ...headers }: Record<string, unknown>) => headers

test('an answer given again is the same, with a name of its own, counted and logged', async () => {
  const question = await asker()
  const before = calls
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
    new RegExp(`route="/api/integration/licenses/feature",status="200"\\} ${calls - before}$`, 'm'),
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
  const end = new Date(service.ctx.now().getTime() + 60_000)
  const short = await openFirm(service, { currentPeriodEnd: end })
  const worker = await hireLicensed(short)
  const accessToken = await tokenOf(short)
  const query = new URLSearchParams({ userId: worker.id, applicationId: short.applicationId })
  const question = { path: `/api/integration/licenses/check?${query}`, headers: bearer(accessToken) }
  const left = () => end.getTime() - service.ctx.now().getTime()
  service.advance(left() - 10_000)
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

/** A machine that asks for a token, and what it is known by. */
async function newMachine() {
  const machine = await admin<{ id: string; clientId: string; clientSecret: string }>(
    service.url,
    '/api/admin/clients',
    {
      ...{ applicationId: firm.applicationId, kind: 'MACHINE', name: 'Night shift' },
      ...{ tenantId: firm.company.id, scopes: ['licenses:read', 'licenses:write'] },
    },
  )
  const ask = (wish: Record<string, string> = {}): Question => {
    const { clientId, clientSecret } = machine
    const shown = { client_id: clientId, client_secret: clientSecret, ...wish }
    return asForm(String(new URLSearchParams({ grant_type: 'client_credentials', ...shown })))
  }
  return { ...machine, ask }
}

const asForm = (form: string): Question => ({
  ...{ path: '/api/oauth/token', method: 'POST', form },
  headers: {
    'Content-Type': 'application/x-www-form-urlencoded;charset=UTF-8',
    'Content-Length': String(form.length),
  },
})

const tokenIn = ({ body }: Reply): string => JSON.parse(body).access_token

test('a machine that asks again gets a token of its own each time, as good as the first and counted like it', async () => {
  const { ask } = await newMachine()
  const issued = async () => {
    const name = 'latchkey_token_requests_total'
    const counted = await service.ctx.figures.registry.getSingleMetricAsString(name)
    return Number(/grant_type="client_credentials",outcome="issued"\} (\d+)/.exec(counted)?.[1])
  }
  const [before, begin] = [await issued(), calls]
  const first = await call(ask())
  const again = await warm(ask())
  expect(withoutMoment(again.headers)).toEqual(withoutMoment(first.headers))
  expect(again.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' })
  service.advance(3_000)
  await warm(ask())
  const replies = await Promise.all([call(ask()), call(ask()), call(ask())])
  expect(await issued()).toBe(before + calls - begin)

  const all = [first, again, ...replies]
  const claims = all.map((reply) => claimsOf(tokenIn(reply)))
  expect(new Set(claims.map(({ jti }) => jti)).size).toBe(all.length)
  const [{ jti: _, iat, exp, ...whose } = {}, ...others] = claims
  for (const { jti, iat, exp, ...rest } of others) expect(rest).toEqual(whose)
  expect(claims.at(-1)?.iat).toBeGreaterThanOrEqual(Number(iat) + 3)
  expect(Number(claims.at(-1)?.exp) - Number(claims.at(-1)?.iat)).toBe(Number(exp) - Number(iat))
  for (const reply of all)
    expect(await introspect(service.url, tokenIn(reply))).toMatchObject({ active: true })
})

test('it gets what it asks for, and nothing with another secret', async () => {
  const { ask } = await newMachine()
  await warm(ask())
  const less = await call(ask({ scope: 'licenses:read' }))
  expect(JSON.parse(less.body)).toMatchObject({ scope: 'licenses:read' })
  expect(await call(ask({ scope: 'admin' }))).toMatchObject({ status: 400 })
  expect(await call(ask({ client_secret: 'x'.repeat(43) }))).toMatchObject({ status: 400 })
  expect(await call({ ...ask(), path: '/api/oauth/token?x=1' })).toMatchObject({ status: 400 })
  expect(JSON.parse((await warm(ask())).body)).toMatchObject({ scope: 'licenses:read licenses:write' })
})

test('it gets none from the moment on at which it may have none', async () => {
  const { id, ask } = await newMachine()
  await warm(ask())
  await admin(service.url, `/api/admin/clients/${id}`, { disabled: true }, 'PATCH')
  expect(await call(ask())).toMatchObject({ status: 400, body: expect.stringContaining('invalid_client') })

  const other = await newMachine()
  await warm(other.ask())
  await service.ctx.db.deleteFrom('client_secrets').where('client_id', '=', other.id).execute()
  await service.ctx.changes.settle()
  expect(await call(other.ask())).toMatchObject({ status: 400 })

  const { ask: askOfSuspended } = await newMachine()
  await warm(askOfSuspended())
  await admin(service.url, `/api/admin/tenants/${firm.company.id}`, { suspended: true }, 'PATCH')
  expect(await call(askOfSuspended())).toMatchObject({
    status: 400,
    body: expect.stringContaining('unauthorized_client'),
  })
  await admin(service.url, `/api/admin/tenants/${firm.company.id}`, { suspended: false }, 'PATCH')
})

test('who is gone before it is signed is not said to have been answered', async () => {
  const { ask } = await newMachine()
  await warm(ask())
  const linesOf = () => service.logs.filter(({ route }) => route === '/api/oauth/token')
  const before = linesOf().length
  // Signatures wait behind these.
  const busy = Promise.all(Array.from({ length: 8 }, () => derive('anything', 'salt', 300_000, 32, 'sha256')))
  const { form = '', headers = {} } = ask()
  const head = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`)
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  socket.write(['POST /api/oauth/token HTTP/1.1', ...head, '', form].join('\r\n'))
  await sleep(50)
  socket.destroy()
  await busy
  expect(await call(ask())).toMatchObject({ status: 200 })
  await expect.poll(() => linesOf().length).toBe(before + 1)
})

test('its tokens are signed with the newest key', async () => {
  const { ask } = await newMachine()
  const kidOf = (reply: Reply) => JSON.parse(atob(tokenIn(reply).split('.')[0] ?? '')).kid
  const before = kidOf(await warm(ask()))
  await admin(service.url, '/api/admin/keys/rotate', {})
  // A new key is published for a while before it signs.
  service.advance(3_600_000)
  expect(kidOf(await warm(ask()))).not.toBe(before)
})

test('a refresh token and a code are good once, however alike they are shown', async () => {
  const cookie = await signIn(service.url, 'mia@acme.test')
  const { refresh_token } = await obtainTokens(service.url, cookie)
  const form = { grant_type: 'refresh_token', client_id: 'demo-spa', refresh_token }
  const question = asForm(String(new URLSearchParams(form)))
  expect(await call(question)).toMatchObject({ status: 200 })
  expect(await call(question)).toMatchObject({ status: 400 })
  expect(await call(question)).toMatchObject({ status: 400 })
})
