import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sendLogoutTokens } from '../../../src/oauth/back-channel-logout/dispatch.ts'
import { claimLogout } from '../../../src/oauth/back-channel-logout/store.ts'
import { sweepExpired } from '../../../src/oauth/sweep.ts'
import { call, errorReply } from '../../account/people.ts'
import { captureEntry } from '../../audit/entries.ts'
import { scrape } from '../../operator/exposition.ts'
import { rounds } from '../../support/rounds.ts'
import { startService, type TestService } from '../../support/service.ts'
import { admin, startDemoService } from '../../support/world.ts'
import {
  ALLOW_LOOPBACK,
  callAsOps,
  deliveriesOf,
  type RelyingParty,
  receivedSids,
  sendDue,
  signInTo,
  startRelyingParty,
  validateLogoutToken,
} from './relying-party.ts'

// How logout tokens are delivered, retried and shown.

const DAY_MS = 86_400_000

let service: TestService
let url: string
let rp: RelyingParty
let advanced = 0
beforeAll(async () => {
  service = await startDemoService({ config: ALLOW_LOOPBACK, forbidSlowWork: true })
  url = service.url
})
afterAll(() => service?.close())
beforeEach(async () => {
  rp = await startRelyingParty(service)
})
afterEach(async () => {
  await rp.stop()
  await admin(url, `/api/admin/clients/${rp.id}`, {}, 'DELETE')
  service.advance(-advanced)
  advanced = 0
})

/** Advances the clock until the end of the test. */
function advance(ms: number): void {
  advanced += ms
  service.advance(ms)
}

/** Signs in to the client and out again; returns the sid. */
async function endSession(client: { clientId: string } = rp): Promise<string> {
  const { cookie, sid } = await signInTo(url, client)
  await signOut(cookie)
  return sid
}

async function signOut(cookie: string): Promise<void> {
  const { status } = await call(`${url}/api/auth/logout`, {
    method: 'POST',
    headers: { cookie, origin: url },
    body: {},
  })
  expect(status).toBe(200)
}

const onlyDelivery = async () => {
  const [delivery, ...others] = await deliveriesOf(service, rp)
  expect(others).toEqual([])
  return delivery
}

test('a delivered logout is shown, and not sent again', async () => {
  const sid = await endSession()
  expect(await onlyDelivery()).toMatchObject({ status: 'PENDING', sessionId: sid, attempts: 0, finishedAt: null })
  await sendDue(service)
  await sendDue(service)
  expect(receivedSids(rp)).toEqual([sid])
  expect(await onlyDelivery()).toEqual({
    id: expect.any(String),
    status: 'DELIVERED',
    userId: expect.any(String),
    sessionId: sid,
    attempts: 1,
    lastStatus: 200,
    lastError: null,
    nextAttemptAt: null,
    createdAt: expect.any(String),
    finishedAt: expect.any(String),
  })
})

test('204 is a success', async () => {
  rp.status = 204
  await endSession()
  await sendDue(service)
  expect(await onlyDelivery()).toMatchObject({ status: 'DELIVERED', lastStatus: 204 })
})

test.each(['pausing', 'endless'] as const)('the status alone counts: a response whose body is %s', async (body) => {
  rp.body = body
  await endSession()
  await sendDue(service)
  expect(await deliveriesOf(service, rp)).toMatchObject([{ status: 'DELIVERED', attempts: 1, lastStatus: 200 }])
})

describe('a failed attempt is repeated with a new token:', () => {
  test.each([500, 400, 404, 302, 202])('status %i', async (status) => {
    rp.status = status
    const sid = await endSession()
    await sendDue(service)
    await sendDue(service)
    const waiting = await onlyDelivery()
    expect(waiting).toMatchObject({ status: 'PENDING', attempts: 1, lastStatus: status, lastError: `status_${status}` })
    expect(new Date(waiting?.nextAttemptAt ?? 0).getTime()).toBeGreaterThan(service.ctx.now().getTime() + 3_000)
    rp.status = 200
    advance(10_000)
    await sendDue(service)
    expect(receivedSids(rp)).toEqual([sid, sid])
    const [first, second] = rp.received.map(({ token }) => token)
    expect(first).not.toBe(second)
    await validateLogoutToken(service, second ?? '', rp.clientId)
    expect(await onlyDelivery()).toMatchObject({ status: 'DELIVERED', attempts: 2, lastStatus: 200, lastError: null })
  })

  test('a refused connection', async () => {
    await rp.stop()
    const sid = await endSession()
    await sendDue(service)
    expect(await onlyDelivery()).toMatchObject({
      status: 'PENDING',
      attempts: 1,
      lastStatus: null,
      lastError: 'connection',
    })
    await rp.restart()
    advance(10_000)
    await sendDue(service)
    expect(receivedSids(rp)).toEqual([sid])
  })
})

test('a delivery is abandoned after three days, and can be sent again', async () => {
  rp.status = 500
  const sid = await endSession()
  await sendDue(service)
  advance(3 * DAY_MS + 1)
  await sendDue(service)
  const abandoned = await onlyDelivery()
  expect(abandoned).toMatchObject({ status: 'FAILED', attempts: 2, nextAttemptAt: null, lastError: 'status_500' })
  rp.status = 200
  const entry = await captureEntry(service, async () => {
    const reply = await callAsOps(service, 'POST', `/api/admin/clients/${rp.id}/logouts/${abandoned?.id}/replay`)
    expect(reply.status).toBe(202)
  })
  expect(entry).toMatchObject({
    action: 'client.logout_replayed',
    actor_id: 'demo-ops',
    details: { id: rp.id, clientId: rp.clientId, applicationId: rp.applicationId, deliveryId: abandoned?.id },
  })
  await sendDue(service)
  expect(receivedSids(rp)).toEqual([sid, sid, sid])
  expect(await onlyDelivery()).toMatchObject({ status: 'DELIVERED', attempts: 1 })
})

test('a logout that a killed process was sending is sent by another one, after a restart too', async () => {
  const sid = await endSession()
  const now = service.ctx.now()
  const claim = {
    holder: crypto.randomUUID(),
    fullClients: [],
    toOutsideClients: true,
    now,
    until: new Date(now.getTime() + 30_000),
  }
  expect(await claimLogout(service.ctx.db, claim)).toMatchObject({ sessionId: sid })
  const restarted = await startService({ sameDatabaseAs: service, config: ALLOW_LOOPBACK })
  try {
    await sendDue(restarted)
    expect(rp.received).toEqual([])
    restarted.advance(31_000)
    await sendDue(restarted)
    expect(receivedSids(rp)).toEqual([sid])
  } finally {
    await restarted.close()
  }
})

test('a request that is open when the node stops is repeated and not counted as a failure', async () => {
  rp.status = undefined
  const sid = await endSession()
  const stopped = new AbortController()
  const running = sendLogoutTokens(service.ctx, stopped.signal)
  await expect.poll(() => rp.received.length).toBe(1)
  stopped.abort()
  await running
  expect(await onlyDelivery()).toMatchObject({ status: 'PENDING', attempts: 0, lastError: null })
  rp.status = 200
  await sendDue(service)
  expect(receivedSids(rp)).toEqual([sid, sid])
})

test('two nodes deliver each logout once', async () => {
  const node = await startService({ sameDatabaseAs: service, config: ALLOW_LOOPBACK })
  try {
    for (const _round of rounds(20)) {
      rp.received.length = 0
      rp.delayMs = 20
      const sids = await Promise.all(Array.from({ length: 10 }, () => endSession()))
      await Promise.all([sendDue(service), sendDue(node)])
      expect(receivedSids(rp).sort()).toEqual(sids.sort())
    }
  } finally {
    await node.close()
  }
})

test('the worker sends a logout at once', async () => {
  const running = await startService({ sameDatabaseAs: service, config: ALLOW_LOOPBACK, worker: true })
  try {
    const sid = await endSession()
    await expect.poll(() => receivedSids(rp), { timeout: 4_000 }).toEqual([sid])
  } finally {
    await running.close()
  }
})

test('a client that does not respond does not delay another', async () => {
  const slow = await startRelyingParty(service)
  slow.status = undefined
  for (let count = 0; count < 6; count++) await endSession(slow)
  const sid = await endSession()
  const running = sendDue(service)
  await expect.poll(() => receivedSids(rp)).toEqual([sid])
  expect(slow.received).toHaveLength(4)
  await slow.stop()
  await running
  await admin(url, `/api/admin/clients/${slow.id}`, {}, 'DELETE')
})

test.each<[string, object, string]>([
  ['a disabled client', { disabled: true }, 'client_disabled'],
  ['a client whose address was removed', { backchannelLogoutUri: null }, 'no_address'],
])('%s gets no logout that was queued before', async (_name, change, lastError) => {
  await endSession()
  await admin(url, `/api/admin/clients/${rp.id}`, change, 'PATCH')
  await sendDue(service)
  expect(rp.received).toEqual([])
  expect(await onlyDelivery()).toMatchObject({ status: 'FAILED', lastError })
})

test('a session that ends while a client is disabled or has no address queues nothing', async () => {
  for (const change of [{ disabled: true }, { disabled: false, backchannelLogoutUri: null }]) {
    const { cookie } = await signInTo(url, rp)
    await admin(url, `/api/admin/clients/${rp.id}`, change, 'PATCH')
    await signOut(cookie)
    expect(await deliveriesOf(service, rp)).toEqual([])
    await admin(url, `/api/admin/clients/${rp.id}`, { disabled: false, backchannelLogoutUri: rp.uri }, 'PATCH')
  }
})

test('a sign-out and the deletion of a client at the same time both succeed', async () => {
  for (const _round of rounds(20)) {
    const client = await startRelyingParty(service)
    const { cookie } = await signInTo(url, client)
    await Promise.all([signOut(cookie), admin(url, `/api/admin/clients/${client.id}`, {}, 'DELETE')])
    const left = service.ctx.db.selectFrom('logout_deliveries').select('id').where('client_id', '=', client.id)
    expect(await left.execute()).toEqual([])
    await client.stop()
  }
})

describe('private addresses:', () => {
  let strict: TestService
  beforeAll(async () => {
    strict = await startDemoService()
  })
  afterAll(() => strict.close())

  test.each([
    'http://app.example.com/logout',
    'http://127.0.0.1:4000/logout',
    'https://127.0.0.1/logout',
    'https://[::1]/logout',
    'https://169.254.169.254/latest',
    'https://app.example.com/logout#top',
    'https://user:secret@app.example.com/logout',
    'ftp://app.example.com/logout',
  ])('%s is refused', async (backchannelLogoutUri) => {
    await expect(startRelyingParty(strict, { backchannelLogoutUri })).rejects.toThrow('backchannelLogoutUri')
  })

  test('a name with a private address gets no request', async () => {
    const client = await startRelyingParty(strict, { backchannelLogoutUri: null })
    try {
      const backchannelLogoutUri = `https://localhost:${new URL(client.uri).port}/logout`
      await admin(strict.url, `/api/admin/clients/${client.id}`, { backchannelLogoutUri }, 'PATCH')
      const { cookie } = await signInTo(strict.url, client)
      const headers = { cookie, origin: strict.url }
      await call(`${strict.url}/api/auth/logout`, { method: 'POST', headers, body: {} })
      await sendDue(strict)
      const [delivery] = await deliveriesOf(strict, client)
      expect(delivery).toMatchObject({ status: 'PENDING', attempts: 1, lastStatus: null })
      expect(['address_refused', 'connection']).toContain(delivery?.lastError)
      expect(client.received).toEqual([])
    } finally {
      await client.stop()
    }
  })
})

test('a MACHINE client has no address: nobody signs in to it', async () => {
  const machine = { kind: 'MACHINE', redirectUris: [], postLogoutRedirectUris: [], scopes: [] }
  await expect(startRelyingParty(service, machine)).rejects.toThrow('nobody signs in to a MACHINE client')
})

test('deliveries are listed in pages, newest first, and by status', async () => {
  const sids: string[] = []
  for (let count = 0; count < 3; count++) sids.unshift(await endSession())
  const path = `/api/admin/clients/${rp.id}/logouts`
  const first = (await callAsOps(service, 'GET', `${path}?limit=2`)).body
  const second = (await callAsOps(service, 'GET', `${path}?limit=2&after=${first.next}`)).body
  expect([...first.deliveries, ...second.deliveries].map(({ sessionId }) => sessionId)).toEqual(sids)
  expect(second.next).toBeNull()
  expect(await deliveriesOf(service, rp, '?status=DELIVERED')).toEqual([])
  expect(await deliveriesOf(service, rp, '?status=PENDING')).toHaveLength(3)
})

test('unknown clients, and deliveries that are unknown or of another client, answer 404', async () => {
  const another = await startRelyingParty(service)
  await endSession(another)
  const [foreign] = await deliveriesOf(service, another)
  const replay = (id: string, deliveryId: string | undefined) =>
    callAsOps(service, 'POST', `/api/admin/clients/${id}/logouts/${deliveryId}/replay`)
  for (const deliveryId of ['none', crypto.randomUUID(), foreign?.id]) {
    expect(await replay(rp.id, deliveryId)).toMatchObject(errorReply(404, 'DELIVERY_NOT_FOUND'))
  }
  const unknown = errorReply(404, 'CLIENT_NOT_FOUND')
  expect(await replay(crypto.randomUUID(), foreign?.id)).toMatchObject(unknown)
  expect(await callAsOps(service, 'GET', '/api/admin/clients/none/logouts')).toMatchObject(unknown)
  await another.stop()
})

test('finished deliveries are deleted after a month', async () => {
  await endSession()
  await sendDue(service)
  advance(29 * DAY_MS)
  await sweepExpired.run(service.ctx, {})
  expect(await deliveriesOf(service, rp)).toHaveLength(1)
  advance(2 * DAY_MS)
  await sweepExpired.run(service.ctx, {})
  expect(await deliveriesOf(service, rp)).toEqual([])
})

test('the metrics show how many logouts wait, and since when the oldest is tried', async () => {
  const { db } = service.ctx
  const oldest = async () => {
    const samples = await scrape(service)
    const find = (name: string) => samples.find((sample) => sample.name === name)?.value
    return [find('latchkey_logout_deliveries_waiting'), Math.round((find('latchkey_logout_oldest_seconds') ?? 0) / 60)]
  }
  const shows = (expected: number[]) => expect.poll(oldest, { interval: 300 }).toEqual(expected)
  // Those of earlier tests.
  await db.deleteFrom('logout_deliveries').execute()
  rp.status = 500
  await endSession()
  await endSession()
  await sendDue(service)
  const [{ id } = { id: '' }] = await deliveriesOf(service, rp)
  const hourAgo = new Date(Date.now() - 3_600_000)
  await db.updateTable('logout_deliveries').set({ first_attempt_at: hourAgo }).where('id', '=', id).execute()
  await shows([2, 60])
  rp.status = 200
  advance(DAY_MS)
  await sendDue(service)
  await shows([0, 0])
})
