import { pbkdf2 } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Asker, askerOf, type Question, type Reply, withoutMoment } from '../http/asking.ts'
import { type Firm, openFirm } from '../licensing/firm.ts'
import type { TestService } from '../support/service.ts'
import {
  admin,
  authorize,
  CALLBACK,
  claimsOf,
  introspect,
  obtainTokens,
  signIn,
  startWorld,
  VERIFIER,
} from '../support/world.ts'

// A machine that asks for tokens again and again is known, and each of its tokens is another.

let service: TestService
let firm: Firm
let call: Asker['call']
let warm: Asker['warm']
let countCalls: Asker['countCalls']
beforeAll(async () => {
  service = await startWorld()
  ;({ call, warm, countCalls } = askerOf(service))
  firm = await openFirm(service)
})
afterAll(() => service?.close())

const derive = promisify(pbkdf2)

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
  const [before, begin] = [await issued(), countCalls()]
  const first = await call(ask())
  const again = await warm(ask())
  expect(withoutMoment(again.headers)).toEqual(withoutMoment(first.headers))
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
  const busy = Promise.all(
    Array.from({ length: 8 }, () => derive('anything', 'salt', 1_000_000, 32, 'sha256')),
  )
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
  const { code = '' } = (await authorize(service.url, cookie)).answer
  const all: Record<string, string>[] = [
    { grant_type: 'refresh_token', refresh_token },
    { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER },
  ]
  for (const shown of all) {
    const question = asForm(String(new URLSearchParams({ client_id: 'demo-spa', ...shown })))
    expect(await call(question)).toMatchObject({ status: 200 })
    expect(await call(question)).toMatchObject({ status: 400 })
    expect(await call(question)).toMatchObject({ status: 400 })
  }
})
