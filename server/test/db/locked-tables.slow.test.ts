import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSignedInUser } from '../account/people.ts'
import { whileLocked } from '../support/locks.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { machineToken, obtainTokens, PASSWORD, refresh, signIn, startDemoService, userinfo } from '../support/world.ts'

// A table is locked for longer than the lock timeout, as by a manual migration or VACUUM FULL.

let service: TestService
beforeEach(async () => {
  // In the quick run the lock timeout is shorter than in production.
  service = await startDemoService(FULL ? {} : { lockTimeoutMs: 1_000 })
})
afterEach(() => service.close())

/** Requests that need the locked table. In the full run there are more than may run concurrently. */
const WRITES = FULL ? { creations: 20, signIns: 20 } : { creations: 1, signIns: 4 }

/** The interval of requests that do not need the locked table. */
const PACE_MS = FULL ? 250 : 50

const lock = (table: string) => ({ statement: `lock table ${table} in access exclusive mode` })

interface Outcome {
  status: number
  retryAfter: boolean
}

async function send(path: string, options: RequestInit = {}): Promise<Outcome> {
  const response = await fetch(service.url + path, options)
  await response.arrayBuffer()
  return { status: response.status, retryAfter: response.headers.has('retry-after') }
}

const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

const logIn = (email: string) => send('/api/auth/login', post({ email, password: PASSWORD }))

const UNAVAILABLE = { status: 503, retryAfter: true }

async function createLicenseCheck(person: string): Promise<() => Promise<Outcome>> {
  const machine = await machineToken(service.url, 'demo-machine')
  const seat = await service.ctx.db
    .selectFrom('seats')
    .innerJoin('users', 'users.id', 'seats.user_id')
    .select(['user_id', 'application_id'])
    .where('users.email', '=', person)
    .executeTakeFirstOrThrow()
  const query = new URLSearchParams({ userId: seat.user_id, applicationId: seat.application_id })
  const check = () =>
    send(`/api/integration/licenses/check?${query}`, { headers: { authorization: `Bearer ${machine}` } })
  expect((await check()).status).toBe(200)
  return check
}

test('while the audit log is locked, writes get 503 in bounded time and other requests succeed', async () => {
  const { url } = service
  const cookie = await signIn(url, 'olivia@acme.test')
  const tokens = await obtainTokens(url, cookie)
  const { tokens: writer } = await createSignedInUser(service)
  const check = await createLicenseCheck('mia@acme.test')
  const create = () =>
    send('/api/tenants', post({ name: 'Company' }, { authorization: `Bearer ${writer.access_token}` }))
  const { tenants } = (await (await fetch(`${url}/api/tenants`, { headers: { cookie } })).json()) as {
    tenants: { id: string }[]
  }
  await whileLocked(service, lock('audit_entries'), async (waitFor) => {
    let finished = 0
    const requests = [
      ...Array.from({ length: WRITES.creations }, create),
      ...Array.from({ length: WRITES.signIns }, () => logIn('mia@acme.test')),
    ]
    const writes = requests.map(async (request) => {
      const { status, retryAfter } = await request
      finished += 1
      return { status, retryAfter }
    })
    await waitFor(4)
    let refreshToken = tokens.refresh_token
    let rounds = 0
    // Until the last write was rejected.
    while (finished < writes.length || rounds < 10) {
      const renewed = await refresh(url, refreshToken)
      expect(renewed.status).toBe(200)
      refreshToken = renewed.body.refresh_token
      expect(await userinfo(url, renewed.body.access_token)).toBe(200)
      expect((await check()).status).toBe(200)
      expect((await send(`/api/tenants/${tenants[0]?.id}/members`, { headers: { cookie } })).status).toBe(200)
      rounds += 1
      await sleep(PACE_MS)
    }
    expect(await Promise.all(writes)).toEqual(writes.map(() => UNAVAILABLE))
  })
  expect((await create()).status).toBe(201)
  expect((await logIn('mia@acme.test')).status).toBe(200)
})

test.runIf(FULL)(
  'while the users are locked, sign-ins get 503 in bounded time and other requests succeed',
  async () => {
    const check = await createLicenseCheck('mia@acme.test')
    await whileLocked(service, lock('users'), async (waitFor) => {
      let finished = 0
      const signIns = Array.from({ length: 40 }, async () => {
        const outcome = await logIn('mia@acme.test')
        finished += 1
        return outcome
      })
      await waitFor(2)
      let rounds = 0
      while (finished < signIns.length || rounds < 10) {
        expect((await check()).status).toBe(200)
        expect((await send('/.well-known/openid-configuration')).status).toBe(200)
        expect((await send('/health/ready')).status).toBe(200)
        rounds += 1
        await sleep(PACE_MS)
      }
      expect(await Promise.all(signIns)).toEqual(signIns.map(() => UNAVAILABLE))
    })
    expect((await logIn('mia@acme.test')).status).toBe(200)
  },
)
