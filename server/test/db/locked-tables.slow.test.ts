import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newSomebody } from '../account/people.ts'
import { whileHeld } from '../support/locks.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import {
  machineToken,
  obtainTokens,
  PASSWORD,
  refresh,
  signIn,
  startWorld,
  userinfo,
} from '../support/world.ts'

// Somebody locks a table for longer than anybody should wait, as a migration by hand or a full vacuum does.

let service: TestService
beforeEach(async () => {
  service = await startWorld()
})
afterEach(() => service.close())

/** So many need what is locked. In the full run there are more than are let in at a time, and some wait for others. */
const WRITES = FULL ? { creations: 20, signIns: 20 } : { creations: 1, signIns: 4 }

/** Those who go on come as often as people do. */
const PACE_MS = 250

const lock = (table: string) => ({ statement: `lock table ${table} in access exclusive mode` })

interface Answer {
  status: number
  retryAfter: boolean
}

async function ask(path: string, options: RequestInit = {}): Promise<Answer> {
  const response = await fetch(service.url + path, options)
  await response.arrayBuffer()
  return { status: response.status, retryAfter: response.headers.has('retry-after') }
}

const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

const logIn = (email: string) => ask('/api/auth/login', post({ email, password: PASSWORD }))

const UNAVAILABLE = { status: 503, retryAfter: true }

async function checkOf(person: string): Promise<() => Promise<Answer>> {
  const machine = await machineToken(service.url, 'demo-machine')
  const seat = await service.ctx.db
    .selectFrom('seats')
    .innerJoin('users', 'users.id', 'seats.user_id')
    .select(['user_id', 'application_id'])
    .where('users.email', '=', person)
    .executeTakeFirstOrThrow()
  const query = new URLSearchParams({ userId: seat.user_id, applicationId: seat.application_id })
  const check = () =>
    ask(`/api/integration/licenses/check?${query}`, { headers: { authorization: `Bearer ${machine}` } })
  expect((await check()).status).toBe(200)
  return check
}

test('while the audit log is locked, what writes is answered 503 in bounded time and the rest goes on', async () => {
  const { url } = service
  const cookie = await signIn(url, 'olivia@acme.test')
  const tokens = await obtainTokens(url, cookie)
  const { tokens: writer } = await newSomebody(service)
  const check = await checkOf('mia@acme.test')
  const create = () =>
    ask('/api/tenants', post({ name: 'Company' }, { authorization: `Bearer ${writer.access_token}` }))
  const { tenants } = (await (await fetch(`${url}/api/tenants`, { headers: { cookie } })).json()) as {
    tenants: { id: string }[]
  }
  await whileHeld(service, lock('audit_entries'), async (waitFor) => {
    let answered = 0
    const begun = [
      ...Array.from({ length: WRITES.creations }, create),
      ...Array.from({ length: WRITES.signIns }, () => logIn('mia@acme.test')),
    ]
    const writes = begun.map(async (answer) => {
      const { status, retryAfter } = await answer
      answered += 1
      return { status, retryAfter }
    })
    await waitFor(4)
    let refreshToken = tokens.refresh_token
    let rounds = 0
    // Until the last of those who need the table was refused.
    while (answered < writes.length || rounds < 10) {
      const renewed = await refresh(url, refreshToken)
      expect(renewed.status).toBe(200)
      refreshToken = renewed.body.refresh_token
      expect(await userinfo(url, renewed.body.access_token)).toBe(200)
      expect((await check()).status).toBe(200)
      expect((await ask(`/api/tenants/${tenants[0]?.id}/members`, { headers: { cookie } })).status).toBe(200)
      rounds += 1
      await sleep(PACE_MS)
    }
    expect(await Promise.all(writes)).toEqual(writes.map(() => UNAVAILABLE))
  })
  expect((await create()).status).toBe(201)
  expect((await logIn('mia@acme.test')).status).toBe(200)
})

test.runIf(FULL)(
  'while the people are locked, who needs them is answered 503 in bounded time and the rest goes on',
  async () => {
    const check = await checkOf('mia@acme.test')
    await whileHeld(service, lock('users'), async (waitFor) => {
      let answered = 0
      const signIns = Array.from({ length: 40 }, async () => {
        const answer = await logIn('mia@acme.test')
        answered += 1
        return answer
      })
      await waitFor(2)
      let rounds = 0
      while (answered < signIns.length || rounds < 10) {
        expect((await check()).status).toBe(200)
        expect((await ask('/.well-known/openid-configuration')).status).toBe(200)
        expect((await ask('/health/ready')).status).toBe(200)
        rounds += 1
        await sleep(PACE_MS)
      }
      expect(await Promise.all(signIns)).toEqual(signIns.map(() => UNAVAILABLE))
    })
    expect((await logIn('mia@acme.test')).status).toBe(200)
  },
)
