import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { leaseFrom } from '../../src/events/dispatch/lane.ts'
import { type Mood, type Receiver, startReceiver, verify } from '../support/receiver.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { startMailserver } from '../support/smtp.ts'
import { startWorld } from '../support/world.ts'
import { firstArrivals } from './instance.ts'
import { HOUR, hookOf, instanceHook, NEARBY, namesIn, openShop, pass, startQuiet } from './world.ts'

// A receiver as receivers are, and the service at its usual pace.

let service: TestService
let receiver: Receiver
afterEach(async () => {
  await receiver?.close()
  await service?.close()
})

test('a receiver that fails, is slow, hangs up and is killed gets every event, in order, each signed', async () => {
  service = await startWorld({ worker: true, config: NEARBY })
  receiver = await startReceiver()
  const shops = await Promise.all(Array.from({ length: 4 }, () => openShop(service)))
  const hook = await instanceHook(service, receiver.url, { events: ['tenant.changed'] })
  let secrets = [hook.secret]
  const expected: string[] = []
  const rename = async (round: number) => {
    for (const [index, shop] of shops.entries()) {
      const name = `Shop ${index} round ${round}`
      expected.push(name)
      await shop.rename(name)
    }
  }
  const moods: Mood[] = [
    {},
    { status: 500 },
    { delayMs: 300 },
    { hangsUp: true },
    { failOnce: [503, 200, 429] },
  ]
  for (const [round, mood] of moods.entries()) {
    receiver.be(mood)
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
  receiver.be({})
  // Nobody waits for the next attempt of itself: an impatient operator asks for it.
  const hurry = async () => {
    const { body } = await hook.call('GET', '/deliveries?status=PENDING&limit=100')
    const waiting = (body as unknown as { deliveries: { id: string; nextAttemptAt: string | null }[] })
      .deliveries
    for (const { id } of waiting.filter(({ nextAttemptAt }) => nextAttemptAt)) {
      await hook.call('POST', `/deliveries/${id}/replay`)
    }
    return [...new Set(namesIn(receiver.accepted()))].sort()
  }
  await expect.poll(hurry, { timeout: 120_000, interval: 300 }).toEqual([...new Set(expected)].sort())
  for (const positions of firstArrivals(receiver.accepted()).values()) {
    expect(positions).toEqual([...positions].sort((a, b) => a - b))
  }
  for (const message of receiver.received()) {
    expect(message.headers['webhook-id']).toBe(JSON.parse(message.body).id)
    expect(secrets.some((secret) => isSignedBy(secret, message))).toBe(true)
  }
  const last = receiver.received().at(-1)
  for (const secret of secrets) expect(last && isSignedBy(secret, last)).toBe(true)
}, 240_000)

const isSignedBy = (secret: string, message: Parameters<typeof verify>[1]): boolean => {
  try {
    return verify(secret, message) !== undefined
  } catch {
    return false
  }
}

test.runIf(FULL)('who looks after a tenant is told by mail that its webhook was disabled, once', async () => {
  const mailserver = await startMailserver()
  const mail = { smtpUrl: mailserver.url, mailbox: false, from: 'Latchkey <no-reply@latchkey.test>' }
  service = await startWorld({ worker: true, config: { ...NEARBY, mail } })
  receiver = await startReceiver()
  const shop = await openShop(service)
  const hook = await hookOf(shop, `${receiver.url}?key=hush`)
  const shared = await instanceHook(service, receiver.url, { events: ['tenant.changed'] })
  receiver.be({ status: 410 })
  await shop.rename('Gone')
  const letters = () => mailserver.received.filter((text) => text.includes('disabled'))
  await expect.poll(() => letters().length).toBe(2)
  const [toOwner, toOperator] = [shop.owner.email, 'admin@latchkey.test'].map((email) =>
    letters().find((text) => text.includes(`To: ${email}`)),
  )
  for (const letter of [toOwner, toOperator]) expect(letter).toContain('410')
  expect(mailserver.received.join()).not.toContain('hush')
  for (const { call } of [hook, shared]) {
    expect((await call('GET')).body).toMatchObject({ disabled: true, disabledReason: 'GONE' })
  }
  await mailserver.close()
})

test('a lane whose node was killed is taken over once its time is up, and not before', async () => {
  service = await startQuiet()
  receiver = await startReceiver()
  const shop = await openShop(service)
  await pass(service)
  await hookOf(shop, receiver.url)
  receiver.be({ status: 500 })
  await shop.rename('Left behind')
  await pass(service)
  receiver.be({})
  const until = leaseFrom(service.ctx.now())
  await service.ctx.db
    .updateTable('webhook_lanes')
    .set({ holder: shop.owner.id, locked_until: until, due_at: service.ctx.now() })
    .execute()
  await pass(service)
  expect(receiver.accepted()).toEqual([])
  service.advance(10_000)
  await pass(service)
  expect(namesIn(receiver.accepted())).toEqual(['Left behind'])
})

test.runIf(FULL)('a lane is left to the node that works on it, however long an attempt takes', async () => {
  service = await startWorld({ worker: true, config: NEARBY })
  receiver = await startReceiver()
  const other = await startWorld({ worker: true, beside: service, config: NEARBY })
  onTestFinished(other.close)
  const shop = await openShop(service)
  const hook = await hookOf(shop, receiver.url)
  receiver.be({ hangs: true })
  await shop.rename('Held up')
  // The attempt ends after fifteen seconds, which is longer than a lane is kept without a sign of life.
  const lastError = async () => {
    const { body } = await hook.call('GET', '/deliveries')
    return (body as unknown as { deliveries: { lastError: string | null }[] }).deliveries[0]?.lastError
  }
  await expect.poll(lastError, { timeout: 60_000 }).toBe('timeout')
  expect(receiver.received()).toHaveLength(1)
})

test.runIf(FULL)(
  'an attempt ends, and counts for nothing, when another node has taken the lane',
  async () => {
    service = await startWorld({ worker: true, config: NEARBY })
    let begun = false
    const hanging = createServer((request) => {
      begun = true
      request.resume()
    })
    onTestFinished(() => void hanging.close())
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve))
    const shop = await openShop(service)
    const hook = await hookOf(shop, `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`)
    await shop.rename('Taken over')
    await expect.poll(() => begun).toBe(true)
    await service.ctx.db
      .updateTable('webhook_lanes')
      .set({ holder: shop.owner.id, locked_until: new Date(service.ctx.now().getTime() + HOUR) })
      .execute()
    const socketsLeft = () => new Promise((resolve) => hanging.getConnections((_, count) => resolve(count)))
    await expect.poll(socketsLeft).toBe(0)
    // One that ended by its own timeout would be counted.
    const { body } = await hook.call('GET', '/deliveries')
    expect(body).toMatchObject({ deliveries: [{ status: 'PENDING', attempts: 0, lastError: null }] })
  },
)

test.runIf(FULL)('a webhook takes up four places of a node at most, however many lanes it has', async () => {
  service = await startWorld({ worker: true, config: NEARBY })
  receiver = await startReceiver()
  const other = await startReceiver()
  const shops = await Promise.all(Array.from({ length: 8 }, () => openShop(service)))
  receiver.be({ hangs: true })
  const hook = await instanceHook(service, receiver.url, { events: ['tenant.changed'] })
  for (const shop of shops) await shop.rename('Held up')
  const mostOpen = () => Math.max(0, ...receiver.received().map(({ open }) => open))
  await expect.poll(mostOpen).toBe(4)
  // Once all of it has its place in the log, it is over for who comes after.
  const listDeliveries = async () => (await hook.call('GET', '/deliveries')).body.deliveries
  await expect.poll(listDeliveries).toHaveLength(8)
  const [first] = shops
  await instanceHook(service, other.url, { events: ['tenant.changed'] })
  await first?.rename('Not held up')
  await expect.poll(() => namesIn(other.accepted())).toEqual(['Not held up'])
  expect(mostOpen()).toBe(4)
  await other.close()
})

test.runIf(FULL)(
  'an attempt under way when the service stops is made again, and counts for nothing',
  async () => {
    service = await startQuiet()
    receiver = await startReceiver()
    const node = await startWorld({ worker: true, beside: service, config: NEARBY })
    const shop = await openShop(service)
    const hook = await hookOf(shop, receiver.url)
    receiver.be({ hangs: true })
    await shop.rename('Cut off')
    await expect.poll(() => receiver.received().length).toBe(1)
    await node.close()
    const { body } = await hook.call('GET', '/deliveries')
    expect(body).toMatchObject({ deliveries: [{ status: 'PENDING', attempts: 0, lastError: null }] })
    receiver.be({})
    service.advance(HOUR / 100)
    await pass(service)
    expect(namesIn(receiver.accepted())).toEqual(['Cut off'])
  },
)
