import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sealText } from '../../../src/lib/seal.ts'
import { mailPasswordReset } from '../../../src/sessions/password-reset.ts'
import { call, createSignedInUser, findLinkToken, listMailTo, type TestUser } from '../../account/people.ts'
import { eventually } from '../../support/eventually.ts'
import { countDeadlocks } from '../../support/locks.ts'
import type { TestService } from '../../support/service.ts'
import { PASSWORD, signIn, startDemoService } from '../../support/world.ts'
import { ALLOW_LOOPBACK, callAsOps, type RelyingParty, signInTo, startRelyingParty } from './relying-party.ts'

// The end of a session locks the clients that are told of it. A deletion of several clients may lock them in another order.

let service: TestService
let url: string
let clients: RelyingParty[]
beforeAll(async () => {
  service = await startDemoService({ config: ALLOW_LOOPBACK })
  url = service.url
  clients = [await startRelyingParty(service), await startRelyingParty(service)]
})
afterAll(async () => {
  for (const client of clients ?? []) await client.stop()
  await service?.close()
})

/**
 * Locks one client while the work runs, and the other one when the work waits with a lock of it. The work detects the
 * deadlock, because it has waited longer. Returns the result of the work, or undefined if it has not locked the other.
 */
async function deadlock<T>(
  work: () => Promise<T>,
  [locked, other]: [RelyingParty, RelyingParty],
): Promise<T | undefined> {
  const holder = new pg.Client(service.connection.direct)
  await holder.connect()
  const lock = (id: string, option = '') => holder.query(`select from clients where id = $1 for update ${option}`, [id])
  try {
    await holder.query('begin')
    await lock(locked.id)
    const result = work()
    await eventually(async () => {
      const { rowCount } = await holder.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return (rowCount ?? 0) > 0 ? true : undefined
    })
    const { rowCount } = await lock(other.id, 'skip locked')
    const isHeld = rowCount === 0
    if (isHeld) await lock(other.id)
    await holder.query('rollback')
    const done = await result
    return isHeld ? done : undefined
  } finally {
    await holder.end()
  }
}

interface Visitor extends TestUser {
  sid: string
  /** Another session of the user. */
  elsewhere: { headers: Record<string, string> }
}

async function newVisitor(): Promise<Visitor> {
  const user = await createSignedInUser(service)
  const { cookie } = user
  const sids = []
  for (const client of clients) sids.push((await signInTo(url, client, { cookie })).sid)
  const other = await signIn(url, user.email)
  return { ...user, sid: sids[0] ?? '', elsewhere: { headers: { cookie: other, origin: url } } }
}

const newPassword = 'another good password'

test.each<[string, (visitor: Visitor) => Promise<{ status: number }>]>([
  [
    'a sign-out',
    ({ cookie }) => call(`${url}/api/auth/logout`, { method: 'POST', body: {}, headers: { cookie, origin: url } }),
  ],
  [
    'the end of one session',
    ({ sid, elsewhere }) => call(`${url}/api/users/me/sessions/${sid}`, { method: 'DELETE', ...elsewhere }),
  ],
  [
    'the end of all others',
    ({ elsewhere }) => call(`${url}/api/users/me/sessions`, { method: 'DELETE', ...elsewhere }),
  ],
  [
    'a change of the password',
    ({ elsewhere }) => {
      const body = { currentPassword: PASSWORD, newPassword }
      return call(`${url}/api/users/me/password`, { method: 'POST', body, ...elsewhere })
    },
  ],
  [
    'a reset of the password',
    async ({ email }) => {
      await mailPasswordReset.run(service.ctx, { recipient: sealText(service.ctx.keys, 'password-reset', email) })
      const [mail] = await listMailTo(service, email)
      return call(`${url}/api/auth/password/reset`, {
        method: 'POST',
        body: { token: findLinkToken(mail), newPassword },
      })
    },
  ],
  ['the end of all by an administrator', ({ id }) => callAsOps(service, 'DELETE', `/api/admin/users/${id}/sessions`)],
  ['a forced reset', ({ id }) => callAsOps(service, 'POST', `/api/admin/users/${id}/password-reset`)],
])('%s succeeds in spite of a deadlock with a deletion of clients', async (_, end) => {
  const [a, b] = clients as [RelyingParty, RelyingParty]
  const before = await countDeadlocks(service)
  const inOrder = async (order: [RelyingParty, RelyingParty]) => {
    const visitor = await newVisitor()
    return deadlock(() => end(visitor), order)
  }
  const response = (await inOrder([a, b])) ?? (await inOrder([b, a]))
  expect(response?.status).toBe(200)
  // The repetition may meet the deletion once more.
  await expect.poll(() => countDeadlocks(service)).toBeGreaterThan(before)
})
