import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'
import { call, createSignedInUser, errorReply, type TestUser } from './people.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService()
  url = service.url
})
afterAll(() => service.close())

interface PendingRequest {
  /** Sends the body and returns the response. */
  send(): Promise<{ status: number; body: Record<string, unknown> }>
}

/** Sends the headers of a request, but not the body. */
async function startRequest(token: string, method: string, path: string, body: unknown): Promise<PendingRequest> {
  const text = JSON.stringify(body)
  const pending = request(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
    },
  })
  const answer = new Promise<{ status: number; body: Record<string, unknown> }>((resolve, reject) => {
    pending.on('error', reject)
    pending.on('response', async (response) => {
      const parts = await response.toArray()
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(parts).toString()) })
    })
  })
  pending.flushHeaders()
  // Long enough for the request to be authenticated.
  await sleep(300)
  return {
    send: () => {
      pending.end(text)
      return answer
    },
  }
}

async function endOtherSessions(ann: TestUser): Promise<void> {
  expect((await ann.call('DELETE', '/api/users/me/sessions')).status).toBe(200)
}

const refused = errorReply(401, 'UNAUTHORIZED')

test('a body that arrives after its session has ended changes no profile', async () => {
  const ann = await createSignedInUser(service)
  const { tokens } = await ann.signInAgain()
  const pending = await startRequest(tokens.access_token, 'PATCH', '/api/users/me', { displayName: 'Late' })
  await endOtherSessions(ann)
  expect(await pending.send()).toMatchObject(refused)
  expect((await ann.call('GET', '/api/users/me')).body.displayName).not.toBe('Late')
})

test('a body that arrives after its session has ended adds no second factor', async () => {
  const ann = await createSignedInUser(service)
  const { tokens } = await ann.signInAgain()
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  const { body } = await call(`${url}/api/users/me/mfa/totp`, {
    method: 'POST',
    headers,
    body: { password: PASSWORD },
  })
  const code = totpCode(body.secret as string, service.ctx.now())
  const pending = await startRequest(tokens.access_token, 'POST', '/api/users/me/mfa/totp/verify', { code })
  await endOtherSessions(ann)
  expect(await pending.send()).toMatchObject(refused)
  expect((await ann.call('GET', '/api/users/me/mfa')).body).toMatchObject({ mfaEnabled: false })
})

test('a body that arrives after its session has ended is refused by the administration', async () => {
  const ann = await createSignedInUser(service, { is_super_admin: true })
  const { tokens } = await ann.signInAgain()
  const pending = await startRequest(tokens.access_token, 'POST', '/api/admin/applications', { name: 'Late' })
  await endOtherSessions(ann)
  expect(await pending.send()).toMatchObject(refused)
  const late = service.ctx.db.selectFrom('applications').select('id').where('name', '=', 'Late')
  expect(await late.execute()).toEqual([])
})

test('a slow body is accepted while the session lasts', async () => {
  const ann = await createSignedInUser(service)
  const pending = await startRequest(ann.tokens.access_token, 'PATCH', '/api/users/me', {
    displayName: 'Patient',
  })
  expect(await pending.send()).toMatchObject({ status: 200, body: { displayName: 'Patient' } })
})

/** The number of statements that wait for a lock. */
async function countWaiting(): Promise<number> {
  const { rows } = await service.ctx.db.executeQuery<{ count: number }>(
    CompiledQuery.raw(`select count(*)::int from pg_stat_activity
                       where datname = current_database() and wait_event_type = 'Lock'`),
  )
  return rows[0]?.count ?? 0
}

test.each([
  ['PATCH', '/api/users/me', () => ({ displayName: 'Late' })],
  ['POST', '/api/users/me/mfa/totp/verify', (secret: string) => ({ code: totpCode(secret, service.ctx.now()) })],
])('%s %s is refused when a concurrent change of the password commits first', async (method, path, bodyOf) => {
  const ann = await createSignedInUser(service)
  const { tokens } = await ann.signInAgain()
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  const { body } = await call(`${url}/api/users/me/mfa/totp`, {
    method: 'POST',
    headers,
    body: { password: PASSWORD },
  })
  const change = { currentPassword: PASSWORD, newPassword: 'a quite different password' }
  const { db } = service.ctx
  const both = await db.transaction().execute(async (tx) => {
    // The lock makes both requests wait, in the order in which they were sent.
    await tx.selectFrom('users').select('id').where('id', '=', ann.id).forNoKeyUpdate().execute()
    const changing = ann.call('POST', '/api/users/me/password', change)
    await expect.poll(countWaiting).toBe(1)
    const late = call(url + path, { method, headers, body: bodyOf(String(body.secret)) })
    await expect.poll(countWaiting).toBe(2)
    return { changing, late }
  })
  expect((await both.changing).status).toBe(200)
  expect(await both.late).toMatchObject(refused)
  expect((await ann.call('GET', '/api/users/me')).body).not.toMatchObject({ displayName: 'Late' })
  expect((await ann.call('GET', '/api/users/me/mfa')).body).toMatchObject({ mfaEnabled: false })
})

test('a response sets the cookie once, and that cookie works, also when the previous one was due for renewal', async () => {
  const ann = await createSignedInUser(service)
  service.advance(2 * 3_600_000)
  const headers = { cookie: ann.cookie, origin: service.ctx.config.baseUrl }
  const body = { currentPassword: PASSWORD, newPassword: 'a quite different password' }
  const changed = await call(`${url}/api/users/me/password`, { method: 'POST', body, headers })
  expect(changed.status).toBe(200)
  const cookies = changed.headers.getSetCookie().filter((cookie) => cookie.startsWith('latchkey_session='))
  expect(cookies).toHaveLength(1)
  const me = (cookie: string) => call(`${url}/api/users/me`, { method: 'GET', headers: { cookie } })
  expect((await me(cookies[0]?.split(';')[0] ?? '')).status).toBe(200)
  expect((await me(ann.cookie)).status).toBe(401)
})
