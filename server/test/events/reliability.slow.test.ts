import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { leaseUntil } from '../../src/events/dispatch/partition.ts'
import { type Receiver, type ReceiverBehavior, startReceiver, verify } from '../support/receiver.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { startMailserver } from '../support/smtp.ts'
import { startDemoService } from '../support/world.ts'
import { firstArrivals } from './instance.ts'
import {
  ALLOW_LOOPBACK,
  createInstanceHook,
  createTenantHook,
  HOUR_MS,
  openShop,
  runEventJobs,
  startWithoutJobs,
  tenantNamesIn,
} from './world.ts'

// An unreliable receiver and a service with running jobs.

let service: TestService
let receiver: Receiver
afterEach(async () => {
  await receiver?.close()
  await service?.close()
})

test('a receiver that fails, is slow, hangs up and is killed gets every event, in order and signed', async () => {
  service = await startDemoService({ worker: true, config: ALLOW_LOOPBACK })
  receiver = await startReceiver()
  const shops = await Promise.all(Array.from({ length: 4 }, () => openShop(service)))
  const hook = await createInstanceHook(service, receiver.url, { events: ['tenant.changed'] })
  let secrets = [hook.secret]
  const expected: string[] = []
  const rename = async (round: number) => {
    for (const [index, shop] of shops.entries()) {
      const name = `Shop ${index} round ${round}`
      expected.push(name)
      await shop.rename(name)
    }
  }
  const moods: ReceiverBehavior[] = [
    {},
    { status: 500 },
    { delayMs: 300 },
    { hangsUp: true },
    { failOnce: [503, 200, 429] },
  ]
  for (const [round, mood] of moods.entries()) {
    receiver.setBehavior(mood)
    await rename(round)
    if (round === 2) {
      const { body } = await hook.call('POST', '/secret')
      secrets = [...secrets, (body as { secret: string }).secret]
    }
    if (round === 3) {
      await receiver.kill()
      await rename(10)
      await receiver.restart()
    }
  }
  receiver.setBehavior({})
  // Replays instead of waiting for the next attempt.
  const replayPending = async () => {
    const { body } = await hook.call('GET', '/deliveries?status=PENDING&limit=100')
    const waiting = (body as unknown as { deliveries: { id: string; nextAttemptAt: string | null }[] }).deliveries
    for (const { id } of waiting.filter(({ nextAttemptAt }) => nextAttemptAt)) {
      await hook.call('POST', `/deliveries/${id}/replay`)
    }
    return [...new Set(tenantNamesIn(receiver.accepted()))].sort()
  }
  await expect.poll(replayPending, { timeout: 120_000, interval: 300 }).toEqual([...new Set(expected)].sort())
  for (const positions of firstArrivals(receiver.accepted()).values()) {
    expect(positions).toEqual([...positions].sort((a, b) => a - b))
  }
  for (const message of receiver.received()) {
    expect(message.headers['webhook-id']).toBe(JSON.parse(message.body).id)
    expect(secrets.some((secret) => isSignedBy(secret, message))).toBe(true)
  }
  const last = receiver.received().at(-1)
  for (const secret of secrets) expect(last && isSignedBy(secret, last)).toBe(true)
})

const isSignedBy = (secret: string, message: Parameters<typeof verify>[1]): boolean => {
  try {
    return verify(secret, message) !== undefined
  } catch {
    return false
  }
}

test.runIf(FULL)('the administrators of a tenant get one mail when its webhook is disabled', async () => {
  const mailserver = await startMailserver()
  const mail = { smtpUrl: mailserver.url, mailbox: false, from: 'Latchkey <no-reply@latchkey.test>' }
  service = await startDemoService({ worker: true, config: { ...ALLOW_LOOPBACK, mail } })
  receiver = await startReceiver()
  const shop = await openShop(service)
  const hook = await createTenantHook(shop, `${receiver.url}?key=hush`)
  const shared = await createInstanceHook(service, receiver.url, { events: ['tenant.changed'] })
  receiver.setBehavior({ status: 410 })
  await shop.rename('Gone')
  const mails = () => mailserver.received.filter((text) => text.includes('disabled'))
  await expect.poll(() => mails().length).toBe(2)
  const [toOwner, toOperator] = [shop.owner.email, 'admin@latchkey.test'].map((email) =>
    mails().find((text) => text.includes(`To: ${email}`)),
  )
  for (const mail of [toOwner, toOperator]) expect(mail).toContain('410')
  expect(mailserver.received.join()).not.toContain('hush')
  for (const { call } of [hook, shared]) {
    expect((await call('GET')).body).toMatchObject({ disabled: true, disabledReason: 'GONE' })
  }
  await mailserver.close()
})

test('the partition of a killed node is taken over when the lease expires, and not before', async () => {
  service = await startWithoutJobs()
  receiver = await startReceiver()
  const shop = await openShop(service)
  await runEventJobs(service)
  await createTenantHook(shop, receiver.url)
  receiver.setBehavior({ status: 500 })
  await shop.rename('Left behind')
  await runEventJobs(service)
  receiver.setBehavior({})
  const until = leaseUntil(service.ctx.now())
  await service.ctx.db
    .updateTable('webhook_lanes')
    .set({ holder: shop.owner.id, locked_until: until, due_at: service.ctx.now() })
    .execute()
  await runEventJobs(service)
  expect(receiver.accepted()).toEqual([])
  service.advance(10_000)
  await runEventJobs(service)
  expect(tenantNamesIn(receiver.accepted())).toEqual(['Left behind'])
})

test.runIf(FULL)('a partition stays with its node during a long attempt', async () => {
  service = await startDemoService({ worker: true, config: ALLOW_LOOPBACK })
  receiver = await startReceiver()
  const other = await startDemoService({ worker: true, sameDatabaseAs: service, config: ALLOW_LOOPBACK })
  onTestFinished(other.close)
  const shop = await openShop(service)
  const hook = await createTenantHook(shop, receiver.url)
  receiver.setBehavior({ hangs: true })
  await shop.rename('Held up')
  // The attempt times out after fifteen seconds, which is longer than a lease without renewal.
  const lastError = async () => {
    const { body } = await hook.call('GET', '/deliveries')
    return (body as unknown as { deliveries: { lastError: string | null }[] }).deliveries[0]?.lastError
  }
  await expect.poll(lastError, { timeout: 60_000 }).toBe('timeout')
  expect(receiver.received()).toHaveLength(1)
})

test.runIf(FULL)('an attempt is aborted and not counted when another node has claimed the partition', async () => {
  service = await startDemoService({ worker: true, config: ALLOW_LOOPBACK })
  let started = false
  const hanging = createServer((request) => {
    started = true
    request.resume()
  })
  onTestFinished(() => void hanging.close())
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve))
  const shop = await openShop(service)
  const hook = await createTenantHook(shop, `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`)
  await shop.rename('Taken over')
  await expect.poll(() => started).toBe(true)
  await service.ctx.db
    .updateTable('webhook_lanes')
    .set({ holder: shop.owner.id, locked_until: new Date(service.ctx.now().getTime() + HOUR_MS) })
    .execute()
  const socketsLeft = () => new Promise((resolve) => hanging.getConnections((_, count) => resolve(count)))
  await expect.poll(socketsLeft).toBe(0)
  // An attempt that times out would be counted.
  const { body } = await hook.call('GET', '/deliveries')
  expect(body).toMatchObject({ deliveries: [{ status: 'PENDING', attempts: 0, lastError: null }] })
})

test.runIf(FULL)('a node processes at most four partitions of a webhook at the same time', async () => {
  service = await startDemoService({ worker: true, config: ALLOW_LOOPBACK })
  receiver = await startReceiver()
  const other = await startReceiver()
  const shops = await Promise.all(Array.from({ length: 8 }, () => openShop(service)))
  receiver.setBehavior({ hangs: true })
  const hook = await createInstanceHook(service, receiver.url, { events: ['tenant.changed'] })
  for (const shop of shops) await shop.rename('Held up')
  const maxOpen = () => Math.max(0, ...receiver.received().map(({ open }) => open))
  await expect.poll(maxOpen).toBe(4)
  // Once all events are queued, a webhook that is created later does not get them.
  const listDeliveries = async () => (await hook.call('GET', '/deliveries')).body.deliveries
  await expect.poll(listDeliveries).toHaveLength(8)
  const [first] = shops
  await createInstanceHook(service, other.url, { events: ['tenant.changed'] })
  await first?.rename('Not held up')
  await expect.poll(() => tenantNamesIn(other.accepted())).toEqual(['Not held up'])
  expect(maxOpen()).toBe(4)
  await other.close()
})

test.runIf(FULL)('an attempt that is aborted by a stop is repeated and not counted', async () => {
  service = await startWithoutJobs()
  receiver = await startReceiver()
  const node = await startDemoService({ worker: true, sameDatabaseAs: service, config: ALLOW_LOOPBACK })
  const shop = await openShop(service)
  const hook = await createTenantHook(shop, receiver.url)
  receiver.setBehavior({ hangs: true })
  await shop.rename('Cut off')
  await expect.poll(() => receiver.received().length).toBe(1)
  await node.close()
  const { body } = await hook.call('GET', '/deliveries')
  expect(body).toMatchObject({ deliveries: [{ status: 'PENDING', attempts: 0, lastError: null }] })
  receiver.setBehavior({})
  service.advance(HOUR_MS / 100)
  await runEventJobs(service)
  expect(tenantNamesIn(receiver.accepted())).toEqual(['Cut off'])
})
