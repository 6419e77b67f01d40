import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { PASSWORD, startWorld } from '../support/world.ts'
import { call, failure, newSomebody, type Somebody } from './people.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startWorld()
  url = service.url
})
afterAll(() => service.close())

interface Held {
  /** Lets the body go, and answers what became of the request. */
  send(): Promise<{ status: number; body: Record<string, unknown> }>
}

/** A request whose headers have arrived, and whose body has not. */
async function holdBack(token: string, method: string, path: string, body: unknown): Promise<Held> {
  const text = JSON.stringify(body)
  const held = request(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
    },
  })
  const answer = new Promise<{ status: number; body: Record<string, unknown> }>((resolve, reject) => {
    held.on('error', reject)
    held.on('response', async (response) => {
      const parts = await response.toArray()
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(parts).toString()) })
    })
  })
  held.flushHeaders()
  // Long enough for the door to have asked who is there.
  await sleep(300)
  return {
    send: () => {
      held.end(text)
      return answer
    },
  }
}

/** Ends the other sessions of somebody. */
async function endOthers(ann: Somebody): Promise<void> {
  expect((await ann.call('DELETE', '/api/users/me/sessions')).status).toBe(200)
}

const refused = failure(401, 'UNAUTHORIZED')

test('a body that comes after its session has ended changes no profile', async () => {
  const ann = await newSomebody(service)
  const { tokens } = await ann.signInElsewhere()
  const held = await holdBack(tokens.access_token, 'PATCH', '/api/users/me', { displayName: 'Late' })
  await endOthers(ann)
  expect(await held.send()).toMatchObject(refused)
  expect((await ann.call('GET', '/api/users/me')).body.displayName).not.toBe('Late')
})

test('a body that comes after its session has ended sets up no second factor', async () => {
  const ann = await newSomebody(service)
  const { tokens } = await ann.signInElsewhere()
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  const { body } = await call(`${url}/api/users/me/mfa/totp`, {
    ...{ method: 'POST', headers },
    body: { password: PASSWORD },
  })
  const code = totpCode(body.secret as string, service.ctx.now())
  const held = await holdBack(tokens.access_token, 'POST', '/api/users/me/mfa/totp/verify', { code })
  await endOthers(ann)
  expect(await held.send()).toMatchObject(refused)
  expect((await ann.call('GET', '/api/users/me/mfa')).body).toMatchObject({ mfaEnabled: false })
})

test('a body that comes after its session has ended administers nothing', async () => {
  const ann = await newSomebody(service, { is_super_admin: true })
  const { tokens } = await ann.signInElsewhere()
  const held = await holdBack(tokens.access_token, 'POST', '/api/admin/applications', { name: 'Late' })
  await endOthers(ann)
  expect(await held.send()).toMatchObject(refused)
  const late = service.ctx.db.selectFrom('applications').select('id').where('name', '=', 'Late')
  expect(await late.execute()).toEqual([])
})

test('a body that takes its time is answered all the same while the session lasts', async () => {
  const ann = await newSomebody(service)
  const held = await holdBack(ann.tokens.access_token, 'PATCH', '/api/users/me', { displayName: 'Patient' })
  expect(await held.send()).toMatchObject({ status: 200, body: { displayName: 'Patient' } })
})

/** How many wait for somebody else's lock. */
async function waiting(): Promise<number> {
  const { rows } = await service.ctx.db.executeQuery<{ count: number }>(
    CompiledQuery.raw(`select count(*)::int from pg_stat_activity
                       where datname = current_database() and wait_event_type = 'Lock'`),
  )
  return rows[0]?.count ?? 0
}

test.each([
  ['PATCH', '/api/users/me', () => ({ displayName: 'Late' })],
  [
    'POST',
    '/api/users/me/mfa/totp/verify',
    (secret: string) => ({ code: totpCode(secret, service.ctx.now()) }),
  ],
])(
  '%s %s is refused where a change of the password comes first, be it by a hair',
  async (method, path, bodyOf) => {
    const ann = await newSomebody(service)
    const { tokens } = await ann.signInElsewhere()
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    const { body } = await call(`${url}/api/users/me/mfa/totp`, {
      ...{ method: 'POST', headers },
      body: { password: PASSWORD },
    })
    const change = { currentPassword: PASSWORD, newPassword: 'a quite different password' }
    const { db } = service.ctx
    const both = await db.transaction().execute(async (tx) => {
      // Whoever changes a person waits here, in the order in which they came.
      await tx.selectFrom('users').select('id').where('id', '=', ann.id).forNoKeyUpdate().execute()
      const changing = ann.call('POST', '/api/users/me/password', change)
      await expect.poll(waiting).toBe(1)
      const late = call(url + path, { method, headers, body: bodyOf(String(body.secret)) })
      await expect.poll(waiting).toBe(2)
      return { changing, late }
    })
    expect((await both.changing).status).toBe(200)
    expect(await both.late).toMatchObject(refused)
    expect((await ann.call('GET', '/api/users/me')).body).not.toMatchObject({ displayName: 'Late' })
    expect((await ann.call('GET', '/api/users/me/mfa')).body).toMatchObject({ mfaEnabled: false })
  },
)

test('an answer sets the cookie once, and that one works, also where it had grown old', async () => {
  const ann = await newSomebody(service)
  service.advance(2 * 3_600_000)
  const headers = { cookie: ann.cookie, origin: service.ctx.config.baseUrl }
  const body = { currentPassword: PASSWORD, newPassword: 'a quite different password' }
  const changed = await call(`${url}/api/users/me/password`, { method: 'POST', body, headers })
  expect(changed.status).toBe(200)
  const given = changed.headers.getSetCookie().filter((cookie) => cookie.startsWith('latchkey_session='))
  expect(given).toHaveLength(1)
  const me = (cookie: string) => call(`${url}/api/users/me`, { method: 'GET', headers: { cookie } })
  expect((await me(given[0]?.split(';')[0] ?? '')).status).toBe(200)
  expect((await me(ann.cookie)).status).toBe(401)
})
