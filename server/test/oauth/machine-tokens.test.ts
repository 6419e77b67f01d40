import { pbkdf2 } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createRawClient,
  type RawClient,
  type RawRequest,
  type Reply,
  withoutVolatileHeaders,
} from '../http/raw-client.ts'
import { createLicensedTenant, type LicensedTenant } from '../licensing/licensed-tenant.ts'
import type { TestService } from '../support/service.ts'
import {
  admin,
  authorize,
  CALLBACK,
  claimsOf,
  introspect,
  obtainTokens,
  signIn,
  startDemoService,
  VERIFIER,
} from '../support/world.ts'

let service: TestService
let firm: LicensedTenant
let call: RawClient['call']
let warm: RawClient['warm']
let countCalls: RawClient['countCalls']
beforeAll(async () => {
  service = await startDemoService()
  ;({ call, warm, countCalls } = createRawClient(service))
  firm = await createLicensedTenant(service)
})
afterAll(() => service?.close())

const derive = promisify(pbkdf2)

/** A machine client and a function that builds its token request. */
async function newMachine() {
  const machine = await admin<{ id: string; clientId: string; clientSecret: string }>(
    service.url,
    '/api/admin/clients',
    {
      applicationId: firm.applicationId,
      kind: 'MACHINE',
      name: 'Night shift',
      tenantId: firm.company.id,
      scopes: ['licenses:read', 'licenses:write'],
    },
  )
  const ask = (parameters: Record<string, string> = {}): RawRequest => {
    const { clientId, clientSecret } = machine
    const form = { client_id: clientId, client_secret: clientSecret, ...parameters }
    return asForm(String(new URLSearchParams({ grant_type: 'client_credentials', ...form })))
  }
  return { ...machine, ask }
}

const asForm = (form: string): RawRequest => ({
  path: '/api/oauth/token',
  method: 'POST',
  form,
  headers: {
    'Content-Type': 'application/x-www-form-urlencoded;charset=UTF-8',
    'Content-Length': String(form.length),
  },
})

const tokenIn = ({ body }: Reply): string => JSON.parse(body).access_token

test('every client credentials request gets a distinct, valid token and is counted', async () => {
  const { ask } = await newMachine()
  const issued = async () => {
    const name = 'latchkey_token_requests_total'
    const counted = await service.ctx.metrics.registry.getSingleMetricAsString(name)
    return Number(/grant_type="client_credentials",outcome="issued"\} (\d+)/.exec(counted)?.[1])
  }
  const [before, begin] = [await issued(), countCalls()]
  const first = await call(ask())
  const again = await warm(ask())
  expect(withoutVolatileHeaders(again.headers)).toEqual(withoutVolatileHeaders(first.headers))
  expect(again.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' })
  service.advance(3_000)
  await warm(ask())
  const replies = await Promise.all([call(ask()), call(ask()), call(ask())])
  expect(await issued()).toBe(before + countCalls() - begin)

  const all = [first, again, ...replies]
  const claims = all.map((reply) => claimsOf(tokenIn(reply)))
  expect(new Set(claims.map(({ jti }) => jti)).size).toBe(all.length)
  const [{ jti: _, iat, exp, ...whose } = {}, ...others] = claims
  for (const { jti, iat, exp, ...rest } of others) expect(rest).toEqual(whose)
  expect(claims.at(-1)?.iat).toBeGreaterThanOrEqual(Number(iat) + 3)
  expect(Number(claims.at(-1)?.exp) - Number(claims.at(-1)?.iat)).toBe(Number(exp) - Number(iat))
  for (const reply of all) expect(await introspect(service.url, tokenIn(reply))).toMatchObject({ active: true })
})

test('a machine client gets the requested scopes, and nothing with a wrong secret', async () => {
  const { ask } = await newMachine()
  await warm(ask())
  const less = await call(ask({ scope: 'licenses:read' }))
  expect(JSON.parse(less.body)).toMatchObject({ scope: 'licenses:read' })
  expect(await call(ask({ scope: 'admin' }))).toMatchObject({ status: 400 })
  expect(await call(ask({ client_secret: 'x'.repeat(43) }))).toMatchObject({ status: 400 })
  expect(await call({ ...ask(), path: '/api/oauth/token?x=1' })).toMatchObject({ status: 400 })
  expect(JSON.parse((await warm(ask())).body)).toMatchObject({ scope: 'licenses:read licenses:write' })
})

test('a disabled or suspended machine client gets no token immediately afterwards', async () => {
  const { id, ask } = await newMachine()
  await warm(ask())
  await admin(service.url, `/api/admin/clients/${id}`, { disabled: true }, 'PATCH')
  expect(await call(ask())).toMatchObject({ status: 400, body: expect.stringContaining('invalid_client') })

  const other = await newMachine()
  await warm(other.ask())
  await service.ctx.db.deleteFrom('client_secrets').where('client_id', '=', other.id).execute()
  await service.ctx.changes.waitUntilCurrent()
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

test('a request whose client disconnects before the token is signed is not logged as answered', async () => {
  const { ask } = await newMachine()
  await warm(ask())
  const linesOf = () => service.logs.filter(({ route }) => route === '/api/oauth/token')
  const before = linesOf().length
  // Keeps the thread pool busy, so that signing waits.
  const busy = Promise.all(Array.from({ length: 8 }, () => derive('anything', 'salt', 250_000, 32, 'sha256')))
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

test("a machine client's tokens are signed with the newest key", async () => {
  const { ask } = await newMachine()
  const kidOf = (reply: Reply) => JSON.parse(atob(tokenIn(reply).split('.')[0] ?? '')).kid
  const before = kidOf(await warm(ask()))
  await admin(service.url, '/api/admin/keys/rotate', {})
  // A new key is published for a while before it signs.
  service.advance(3_600_000)
  expect(kidOf(await warm(ask()))).not.toBe(before)
})

test('a refresh token and a code work once, also in identical requests', async () => {
  const cookie = await signIn(service.url, 'mia@acme.test')
  const { refresh_token } = await obtainTokens(service.url, cookie)
  const { code = '' } = (await authorize(service.url, cookie)).answer
  const all: Record<string, string>[] = [
    { grant_type: 'refresh_token', refresh_token },
    { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER },
  ]
  for (const parameters of all) {
    const question = asForm(String(new URLSearchParams({ client_id: 'demo-spa', ...parameters })))
    expect(await call(question)).toMatchObject({ status: 200 })
    expect(await call(question)).toMatchObject({ status: 400 })
    expect(await call(question)).toMatchObject({ status: 400 })
  }
})
