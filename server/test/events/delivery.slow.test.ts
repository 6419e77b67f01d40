import { createHmac, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { fanOut } from '../../src/events/fan-out/service.ts'
import { sweepDeliveries } from '../../src/events/sweep/service.ts'
import { deleteFinished } from '../../src/events/sweep/store.ts'
import { liveSecrets, sealSecret } from '../../src/events/webhooks/secrets.ts'
import { createSealer } from '../../src/lib/seal.ts'
import { failure, mailTo } from '../account/people.ts'
import { type Received, type Receiver, startReceiver, verify } from '../support/receiver.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import {
  HOUR,
  type Hook,
  hookOf,
  instanceHook,
  namesIn,
  openShop,
  pass,
  type Shop,
  startQuiet,
} from './world.ts'

// How events reach a receiver, one step after the other: nothing here happens of itself.

interface Delivery {
  id: string
  status: string
  event: { id: string; type: string; position: number }
  attempts: number
  lastStatus: number | null
  lastError: string | null
  nextAttemptAt: string | null
  finishedAt: string | null
}

let service: TestService
let receiver: Receiver
let shop: Shop
let passed = 0
beforeAll(async () => {
  service = await startQuiet()
  // What the world was made of is behind us.
  await pass(service)
})
afterAll(() => service?.close())
beforeEach(async () => {
  receiver = await startReceiver()
  shop = await openShop(service)
})
afterEach(async () => {
  await receiver.close()
  await service.ctx.db.deleteFrom('webhooks').execute()
  service.advance(-passed)
  passed = 0
})

/** Lets time pass, until the end of the test. */
function later(ms: number): void {
  passed += ms
  service.advance(ms)
}

const deliveriesOf = async (hook: Hook, query = ''): Promise<Delivery[]> =>
  ((await hook.call('GET', `/deliveries${query}`)).body as unknown as { deliveries: Delivery[] }).deliveries
const received = () => namesIn(receiver.received().map(({ body }) => JSON.parse(body)))
const accepted = () => namesIn(receiver.accepted())

describe('what is sent', () => {
  test('is the event as the feed tells it, signed as Standard Webhooks says', async () => {
    const hook = await hookOf(shop, `${receiver.url}?key=a%20b`)
    await shop.rename('Signed')
    await pass(service)
    const [message, ...rest] = receiver.received() as [Received]
    expect(rest).toEqual([])
    expect(message).toMatchObject({ method: 'POST', url: '/hook?key=a%20b' })
    const event = verify(hook.secret, message)
    expect(event).toMatchObject({
      type: 'tenant.changed',
      data: { tenantId: shop.company.id, actor: { kind: 'user', id: shop.owner.id } },
    })
    expect(message.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Latchkey\//),
      'webhook-id': event.id,
    })
    const [delivery] = await deliveriesOf(hook)
    expect(delivery).toEqual({
      id: expect.any(String),
      status: 'DELIVERED',
      event: { id: event.id, type: 'tenant.changed', position: event.position },
      attempts: 1,
      ...{ lastStatus: 200, lastError: null, nextAttemptAt: null },
      createdAt: expect.any(String),
      finishedAt: expect.any(String),
    })
  })

  test('is what happens from now on, of the types that are wanted, of one’s own tenant', async () => {
    const other = await openShop(service)
    await shop.rename('Before')
    await pass(service)
    await hookOf(shop, receiver.url, { events: ['tenant.changed'] })
    const all = await startReceiver()
    await instanceHook(service, all.url)
    await shop.rename('After')
    await other.rename('Elsewhere')
    await shop.owner.call('POST', `/api/tenants/${shop.company.id}/invitations`, { email: 'x@people.test' })
    await pass(service)
    expect(accepted()).toEqual(['After'])
    expect(receiver.received()).toHaveLength(1)
    expect(namesIn(all.accepted()).sort()).toEqual(['After', 'Elsewhere'])
    expect(all.accepted().map(({ type }) => type)).toContain('invitation.created')
    await all.close()
  })

  test.runIf(FULL)(
    'is not what happened long before, even if the log was behind when the webhook was made',
    async () => {
      await shop.rename('Long before')
      later(61_000)
      await shop.rename('Just before')
      later(1_000)
      await hookOf(shop, receiver.url)
      await shop.rename('After')
      await pass(service)
      expect(accepted()).toEqual(['Just before', 'After'])
    },
  )

  test.runIf(FULL)(
    'tells operators that a tenant was deleted, after all else that happened there',
    async () => {
      const hook = await instanceHook(service, receiver.url, { events: ['tenant.*'] })
      await shop.rename('Nearly gone')
      await shop.owner.call('DELETE', `/api/tenants/${shop.company.id}`)
      await pass(service)
      expect(receiver.accepted().map(({ type }) => type)).toEqual(['tenant.changed', 'tenant.deleted'])
      expect(await deliveriesOf(hook)).toHaveLength(2)
    },
  )

  test.runIf(FULL)('holds no address of somebody who is forgotten meanwhile', async () => {
    await hookOf(shop, receiver.url)
    receiver.be({ status: 500 })
    await shop.owner.call('POST', `/api/tenants/${shop.company.id}/invitations`, {
      email: 'once@people.test',
    })
    await pass(service)
    expect(receiver.received()[0]?.body).toContain('once@people.test')
    await service.ctx.db.updateTable('audit_entries').set({ personal: '{}' }).execute()
    later(10_000)
    receiver.be({})
    await pass(service)
    const [, again] = receiver.received()
    expect(again?.body).not.toContain('once@people.test')
    expect(again?.headers['webhook-id']).toBe(receiver.received()[0]?.headers['webhook-id'])
  })

  test('costs one statement where there is no webhook', async () => {
    const watch = await watchStatements(service)
    await shop.rename('Unheard')
    await pass(service)
    expect(await watch.count(() => fanOut(service.ctx))).toBe(1)
    await watch.close()
  })
})

describe('secrets', () => {
  const signaturesOf = ({ headers, body }: Received, secret: string) => {
    const key = Buffer.from(secret.slice(6), 'base64')
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const own = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
    const given = headers['webhook-signature']?.split(' ') ?? []
    return { many: given.length, own: given.includes(own) }
  }

  test('both sign for a day after one was replaced, then the new one alone', async () => {
    const hook = await hookOf(shop, receiver.url)
    const { status, body } = await hook.call('POST', '/secret')
    const { secret } = body as { secret: string }
    expect(status).toBe(200)
    expect(secret).not.toBe(hook.secret)
    await shop.rename('Both')
    await pass(service)
    const [both] = receiver.received() as [Received]
    for (const known of [hook.secret, secret]) expect(verify(known, both)).toBeDefined()
    expect(signaturesOf(both, hook.secret)).toEqual({ many: 2, own: true })
    later(24 * HOUR + 1_000)
    await shop.rename('One')
    await pass(service)
    const [, one] = receiver.received() as [Received, Received]
    expect(signaturesOf(one, secret)).toEqual({ many: 1, own: true })
    expect(signaturesOf(one, hook.secret).own).toBe(false)
    await sweepDeliveries.run(service.ctx, undefined)
    expect((await hook.call('GET')).body).toMatchObject({ previousSecretUntil: null })
  })
})

describe('a secret', () => {
  const under = (...keys: [Buffer, ...Buffer[]]): TestService => ({
    ...service,
    ctx: { ...service.ctx, keys: createSealer(keys) },
  })
  const sealedUnder = ({ ctx }: TestService, { id }: Hook, secret: string) =>
    ctx.db
      .updateTable('webhooks')
      .set({ sealed_secret: sealSecret(ctx, secret) })
      .where('id', '=', id)
      .execute()

  test.runIf(FULL)(
    'that does not open is our fault: nothing is counted, and the event goes out soon after it does',
    async () => {
      const hook = await hookOf(shop, receiver.url)
      await sealedUnder(under(randomBytes(32)), hook, hook.secret)
      await shop.rename('Kept back')
      await pass(service)
      expect(await deliveriesOf(hook)).toMatchObject([{ status: 'PENDING', attempts: 0, lastError: null }])
      expect(JSON.stringify(service.logs)).toContain('webhook lane failed')
      await sealedUnder(service, hook, hook.secret)
      later(5_001)
      await pass(service)
      expect(accepted()).toEqual(['Kept back'])
    },
  )

  test.runIf(FULL)(
    'is sealed anew with the newest key by the hour, so that the one before can go',
    async () => {
      const [old, next] = [randomBytes(32), randomBytes(32)]
      const [hook, lost] = [await hookOf(shop, receiver.url), await hookOf(shop, receiver.url)]
      await sealedUnder(under(old), hook, hook.secret)
      await sealedUnder(under(randomBytes(32)), lost, lost.secret)
      await service.ctx.db
        .updateTable('webhooks')
        .set({
          sealed_previous_secret: sealSecret(under(old).ctx, lost.secret),
          previous_secret_until: new Date(service.ctx.now().getTime() + HOUR),
        })
        .where('id', '=', hook.id)
        .execute()
      await sweepDeliveries.run(under(next, old).ctx, undefined)
      await hook.call('PATCH', '', { description: 'Still itself' })
      const row = await service.ctx.db
        .selectFrom('webhooks')
        .selectAll()
        .where('id', '=', hook.id)
        .executeTakeFirstOrThrow()
      expect(liveSecrets(under(next).ctx, row, service.ctx.now())).toEqual([hook.secret, lost.secret])
      expect(JSON.stringify(service.logs)).toContain('webhook secret not sealed anew')
      const before = row.sealed_secret
      await sweepDeliveries.run(under(next).ctx, undefined)
      const after = await service.ctx.db
        .selectFrom('webhooks')
        .select('sealed_secret')
        .where('id', '=', hook.id)
        .executeTakeFirstOrThrow()
      expect(after.sealed_secret.equals(before)).toBe(true)
    },
  )
})

describe('an attempt in vain', () => {
  test('is made again later under the same id, and nothing overtakes it', async () => {
    const hook = await hookOf(shop, receiver.url)
    receiver.be({ status: 500 })
    for (const name of ['One', 'Two', 'Three']) await shop.rename(name)
    await pass(service)
    await pass(service)
    expect(received()).toEqual(['One'])
    const [third, second, first] = await deliveriesOf(hook)
    expect(first).toMatchObject({ status: 'PENDING', attempts: 1, lastStatus: 500, lastError: 'status_500' })
    const wait = Date.parse(first?.nextAttemptAt ?? '') - service.ctx.now().getTime()
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(6_000)
    for (const later of [second, third]) expect(later).toMatchObject({ status: 'PENDING', attempts: 0 })
    later(6_000)
    receiver.be({})
    await pass(service)
    expect(accepted()).toEqual(['One', 'Two', 'Three'])
    const ids = receiver.received().map(({ headers }) => headers['webhook-id'])
    expect(ids[1]).toBe(ids[0])
  })

  test('does not hold up other tenants, nor other receivers', async () => {
    const [good, other] = [await startReceiver(), await openShop(service)]
    await instanceHook(service, receiver.url, { events: ['tenant.changed'] })
    await instanceHook(service, good.url, { events: ['tenant.changed'] })
    receiver.be({ status: 503 })
    await shop.rename('Ours')
    await other.rename('Theirs')
    await pass(service)
    expect(received().sort()).toEqual(['Ours', 'Theirs'])
    expect(namesIn(good.accepted()).sort()).toEqual(['Ours', 'Theirs'])
    await good.close()
  })

  test.each([
    [{ status: 307, answerHeaders: { location: '/elsewhere' } }, 307, 'status_307'],
    [{ status: 404 }, 404, 'status_404'],
    [{ hangsUp: true }, null, 'connection'],
  ])('to one who answers %j is told by a word', async (mood, lastStatus, lastError) => {
    const hook = await hookOf(shop, receiver.url)
    receiver.be(mood)
    await shop.rename('Vain')
    await pass(service)
    expect(receiver.received()).toHaveLength(1)
    expect(await deliveriesOf(hook)).toMatchObject([{ status: 'PENDING', lastStatus, lastError }])
    expect(JSON.stringify(await deliveriesOf(hook))).not.toContain('thank you')
  })

  test.runIf(FULL)('to a name that leads into the network is not made', async () => {
    const { port } = new URL(receiver.url)
    const hook = await hookOf(shop, `http://localhost:${port}/`)
    await service.ctx.db
      .updateTable('webhooks')
      .set({ url: `http://0.0.0.0:${port}/` })
      .execute()
    await shop.rename('Inward')
    await pass(service)
    expect(await deliveriesOf(hook)).toMatchObject([{ lastStatus: null, lastError: 'address_refused' }])
    expect(receiver.received()).toEqual([])
  })

  test.runIf(FULL)(
    'to a name is told to a tenant as one that leads nowhere, and to operators as it is',
    async () => {
      const { port } = new URL(receiver.url)
      const url = `http://localhost:${port}/`
      const [theirs, ours] = [await hookOf(shop, url), await instanceHook(service, url)]
      const ctx = {
        ...service.ctx,
        config: { ...service.ctx.config, webhooks: { allowedNetworks: ['10.9.8.7'] } },
      }
      await shop.rename('Inward')
      await pass({ ...service, ctx })
      expect(await deliveriesOf(theirs)).toMatchObject([{ lastStatus: null, lastError: 'connection' }])
      expect((await deliveriesOf(ours))[0]).toMatchObject({ lastError: 'address_refused' })
      expect(receiver.received()).toEqual([])
    },
  )

  test.runIf(FULL)('takes fifteen seconds at most', async () => {
    const hook = await hookOf(shop, receiver.url)
    receiver.be({ hangs: true })
    await shop.rename('Patient')
    await pass(service)
    expect(await deliveriesOf(hook)).toMatchObject([{ lastStatus: null, lastError: 'timeout', attempts: 1 }])
  })

  test.runIf(FULL)('times out after as long when a response never ends', async () => {
    const stalling = createServer((_request, response) => response.writeHead(200).write('well'))
    onTestFinished(() => void stalling.close())
    await new Promise<void>((resolve) => stalling.listen(0, '127.0.0.1', resolve))
    const { port } = stalling.address() as AddressInfo
    const hook = await hookOf(shop, `http://127.0.0.1:${port}/`)
    await shop.rename('Stalled')
    await pass(service)
    expect(await deliveriesOf(hook)).toMatchObject([{ lastStatus: null, lastError: 'timeout', attempts: 1 }])
    stalling.closeAllConnections()
  })

  test.runIf(FULL)('waits for as long as the receiver asks, within bounds', async () => {
    const hook = await hookOf(shop, receiver.url)
    const waitAfter = async (retryAfter: string) => {
      receiver.be({ status: 429, answerHeaders: { 'retry-after': retryAfter } })
      await pass(service)
      const [delivery] = await deliveriesOf(hook)
      const wait = Date.parse(delivery?.nextAttemptAt ?? '') - service.ctx.now().getTime()
      later(wait)
      return wait
    }
    await shop.rename('Later')
    // HTTP dates have a resolution of one second.
    const expectNear = (wait: number, seconds: number) => {
      expect(wait).toBeGreaterThan((seconds - 1) * 1_000)
      expect(wait).toBeLessThanOrEqual(seconds * 1_000)
    }
    expectNear(await waitAfter('600'), 600)
    const inAnHour = new Date(service.ctx.now().getTime() + HOUR).toUTCString()
    expectNear(await waitAfter(inAnHour), 3_600)
    expectNear(await waitAfter('999999999'), 6 * 3_600)
    // Less than it would be otherwise is not granted, and nonsense is not heard.
    expect(await waitAfter('0')).toBeGreaterThan(9 * 60_000)
    expect(await waitAfter('soon')).toBeGreaterThan(29 * 60_000)
  })
})

describe('after three days', () => {
  /** Lets time pass to each next attempt, until none is left; the moments of the attempts, in hours. */
  async function exhaust(hook: Hook): Promise<number[]> {
    const start = service.ctx.now().getTime()
    const moments: number[] = []
    for (let round = 0; round < 60; round++) {
      await pass(service)
      moments.push((service.ctx.now().getTime() - start) / HOUR)
      const [oldest] = (await deliveriesOf(hook)).reverse()
      if (!oldest?.nextAttemptAt) break
      later(Date.parse(oldest.nextAttemptAt) - service.ctx.now().getTime() + 1)
    }
    return moments
  }

  test('without anything getting through, the event is given up and the webhook disabled', async () => {
    const hook = await hookOf(shop, `${receiver.url}?key=hush`)
    receiver.be({ hangsUp: true })
    await shop.rename('Lost')
    await shop.rename('Kept')
    const moments = await exhaust(hook)
    expect(moments.length).toBeGreaterThan(15)
    expect(moments.length).toBeLessThan(30)
    expect(moments.at(-1)).toBeGreaterThanOrEqual(72)
    expect(moments.at(-1)).toBeLessThan(72.1)
    expect(await deliveriesOf(hook)).toMatchObject([
      { status: 'PENDING', attempts: 0 },
      { status: 'FAILED', lastError: 'connection', attempts: moments.length },
    ])
    expect((await hook.call('GET')).body).toMatchObject({ disabled: true, disabledReason: 'UNREACHABLE' })
    const entry = await service.ctx.db
      .selectFrom('audit_entries')
      .selectAll()
      .where('action', '=', 'webhook.disabled')
      .executeTakeFirstOrThrow()
    expect(entry).toMatchObject({
      tenant_id: shop.company.id,
      actor_kind: 'system',
      details: { webhookId: hook.id, reason: 'UNREACHABLE' },
    })
    const [letter, ...more] = (await mailTo(service, shop.owner.email)).filter(({ subject }) =>
      subject.includes('webhook'),
    )
    expect(more).toEqual([])
    // Addresses in mails hold zero-width spaces, so that no mail program makes a link of them.
    const text = letter?.text.replaceAll('\u200b', '')
    expect(text).toContain('Nothing has reached it for three days')
    expect(text).not.toMatch(/hush|hook\?/)
    expect(text).not.toContain(receiver.url)
    expect(text).toContain(new URL(receiver.url).origin)
    const before = receiver.received().length
    await shop.rename('Unsent')
    later(7 * HOUR)
    await pass(service)
    expect(receiver.received()).toHaveLength(before)

    receiver.be({})
    await hook.call('PATCH', '', { disabled: false })
    await pass(service)
    expect(accepted()).toEqual(['Kept'])
    await shop.rename('Again')
    await pass(service)
    expect(accepted()).toEqual(['Kept', 'Again'])
    // What was given up or never queued is sent when somebody asks for it.
    const [failed] = await deliveriesOf(hook, '?status=FAILED')
    expect((await hook.call('POST', `/deliveries/${failed?.id}/replay`)).status).toBe(202)
    await pass(service)
    expect(accepted()).toEqual(['Kept', 'Again', 'Lost'])
  })

  test.runIf(FULL)('of answers that promise nothing, the webhook is disabled too', async () => {
    const hook = await hookOf(shop, receiver.url)
    receiver.be({ status: 500 })
    await shop.rename('Lost')
    await exhaust(hook)
    expect((await hook.call('GET')).body).toMatchObject({ disabled: true, disabledReason: 'UNREACHABLE' })
  })

  test.runIf(FULL)('of refusals of two events in a row, the webhook is disabled', async () => {
    const hook = await hookOf(shop, receiver.url)
    receiver.be({ status: 401 })
    await shop.rename('One')
    await exhaust(hook)
    expect((await hook.call('GET')).body).toMatchObject({ disabled: false })
    await shop.rename('Two')
    await pass(service)
    later(72 * HOUR)
    await pass(service)
    expect((await hook.call('GET')).body).toMatchObject({ disabled: true, disabledReason: 'UNREACHABLE' })
  })

  test('of refusals of one event by somebody who answers, it is given up and the lane goes on', async () => {
    const hook = await hookOf(shop, receiver.url)
    receiver.be({ status: 422 })
    await shop.rename('Poison')
    await shop.rename('Next')
    await exhaust(hook)
    expect((await hook.call('GET')).body).toMatchObject({ disabled: false, disabledReason: null })
    expect(await deliveriesOf(hook, '?status=FAILED')).toMatchObject([{ lastError: 'status_422' }])
    receiver.be({})
    later(HOUR)
    await pass(service)
    expect(accepted()).toEqual(['Next'])
  })

  test.runIf(FULL)('a receiver that is gone at the last attempt is disabled as such', async () => {
    const hook = await hookOf(shop, receiver.url)
    receiver.be({ status: 500 })
    await shop.rename('Last')
    await pass(service)
    later(72 * HOUR)
    receiver.be({ status: 410 })
    await pass(service)
    expect((await hook.call('GET')).body).toMatchObject({ disabled: true, disabledReason: 'GONE' })
  })

  test.runIf(FULL)(
    'if others got through meanwhile, the event is given up and the lane goes on',
    async () => {
      const other = await openShop(service)
      const hook = await instanceHook(service, receiver.url, { events: ['tenant.changed'] })
      receiver.be({ status: 500 })
      await shop.rename('Lost')
      await shop.rename('Next')
      await pass(service)
      receiver.be({})
      await other.rename('Got through')
      await pass(service)
      receiver.be({ status: 500 })
      await exhaust(hook)
      expect((await hook.call('GET')).body).toMatchObject({ disabled: false })
      receiver.be({})
      later(7 * HOUR)
      await pass(service)
      expect(accepted()).toEqual(['Got through', 'Next'])
      expect(await deliveriesOf(hook, '?status=FAILED')).toHaveLength(1)
    },
  )
})

describe('a receiver that says it is gone', () => {
  test('is asked no more, until somebody enables it again', async () => {
    const hook = await hookOf(shop, receiver.url)
    receiver.be({ status: 410 })
    await shop.rename('One')
    await shop.rename('Two')
    await pass(service)
    later(72 * HOUR)
    await pass(service)
    expect(received()).toEqual(['One'])
    expect((await hook.call('GET')).body).toMatchObject({ disabled: true, disabledReason: 'GONE' })
    receiver.be({})
    await hook.call('PATCH', '', { disabled: false })
    await pass(service)
    expect(accepted()).toEqual(['One', 'Two'])
  })
})

describe('replay', () => {
  test('sends what is asked for once more, under the same ids, in order', async () => {
    const hook = await hookOf(shop, receiver.url)
    for (const name of ['One', 'Two', 'Three']) {
      await shop.rename(name)
      later(1_000)
    }
    await pass(service)
    const [, second] = receiver.accepted()
    const after = (receiver.accepted()[0]?.position ?? 0) as number
    expect(await hook.call('POST', '/replay', { after })).toMatchObject({
      status: 202,
      body: { count: 2, next: null },
    })
    await pass(service)
    expect(accepted()).toEqual(['One', 'Two', 'Three', 'Two', 'Three'])
    expect(receiver.accepted()[3]?.id).toBe(second?.id)
    expect(await deliveriesOf(hook)).toHaveLength(3)
    expect((await hook.call('POST', '/replay', { after, types: ['user.*'] })).body).toMatchObject({
      count: 0,
    })
    const to = second?.timestamp ?? ''
    expect((await hook.call('POST', '/replay', { from: to })).body).toMatchObject({ count: 2 })
    expect((await hook.call('POST', '/replay', { after: 0, to })).body).toMatchObject({ count: 1 })
  })

  test.runIf(FULL)(
    'sends what happened before the webhook was there or while it was disabled, and no other tenant’s',
    async () => {
      const other = await openShop(service)
      await shop.rename('Before')
      await other.rename('Elsewhere')
      await pass(service)
      const hook = await hookOf(shop, receiver.url, { disabled: true })
      await shop.rename('Meanwhile')
      await pass(service)
      await hook.call('PATCH', '', { disabled: false })
      await pass(service)
      expect(received()).toEqual([])
      const { count } = (await hook.call('POST', '/replay', { after: 0 })).body as { count: number }
      await pass(service)
      expect(accepted()).toEqual(['Before', 'Meanwhile'])
      expect(receiver.accepted()).toHaveLength(count)
      expect(new Set(receiver.accepted().map(({ data }) => data.tenantId))).toEqual(
        new Set([shop.company.id]),
      )
    },
  )

  test.runIf(FULL)('of one that waits is a try at once', async () => {
    const hook = await hookOf(shop, receiver.url)
    receiver.be({ status: 500 })
    await shop.rename('Waiting')
    await pass(service)
    receiver.be({})
    await pass(service)
    expect(accepted()).toEqual([])
    const [waiting] = await deliveriesOf(hook)
    await hook.call('POST', `/deliveries/${waiting?.id}/replay`)
    await pass(service)
    expect(accepted()).toEqual(['Waiting'])
  })
})

test.runIf(FULL)('a webhook is replayed sixty times an hour at most, in whichever way', async () => {
  const [hook, other] = [await hookOf(shop, receiver.url), await hookOf(shop, receiver.url)]
  await shop.rename('Over and over')
  await pass(service)
  const [delivery] = await deliveriesOf(hook)
  for (let done = 0; done < 59; done++) {
    expect((await hook.call('POST', '/replay', { after: 1_000_000 })).status).toBe(202)
  }
  expect((await hook.call('POST', `/deliveries/${delivery?.id}/replay`)).status).toBe(202)
  expect(await hook.call('POST', `/deliveries/${delivery?.id}/replay`)).toMatchObject(
    failure(429, 'RATE_LIMITED'),
  )
  expect(await hook.call('POST', '/replay', { after: 0 })).toMatchObject(failure(429, 'RATE_LIMITED'))
  expect((await other.call('POST', '/replay', { after: 1_000_000 })).status).toBe(202)
})

describe('the list of deliveries', () => {
  test('comes in pages, by status', async () => {
    const hook = await hookOf(shop, receiver.url)
    for (const name of ['One', 'Two', 'Three']) await shop.rename(name)
    await pass(service)
    receiver.be({ status: 500 })
    await shop.rename('Four')
    await pass(service)
    const all = await deliveriesOf(hook)
    expect(all.map(({ status }) => status)).toEqual(['PENDING', 'DELIVERED', 'DELIVERED', 'DELIVERED'])
    expect(await deliveriesOf(hook, '?status=PENDING')).toEqual(all.slice(0, 1))
    const first = (await hook.call('GET', '/deliveries?limit=3')).body as unknown as { next: number }
    expect(first).toEqual({ deliveries: all.slice(0, 3), next: all[2]?.event.position })
    const last = (await hook.call('GET', `/deliveries?limit=3&after=${first.next}`)).body
    expect(last).toEqual({ deliveries: all.slice(3), next: null })
    expect((await hook.call('GET', '/deliveries?status=LOST')).status).toBe(422)
  })

  test.runIf(FULL)('is kept for a month once it is over, and for as long as it takes before', async () => {
    const hook = await hookOf(shop, receiver.url)
    await shop.rename('Old')
    await pass(service)
    receiver.be({ status: 500 })
    await shop.rename('Waiting')
    await pass(service)
    later(29 * 24 * HOUR)
    await sweepDeliveries.run(service.ctx, undefined)
    expect(await deliveriesOf(hook)).toHaveLength(2)
    later(2 * 24 * HOUR)
    await sweepDeliveries.run(service.ctx, undefined)
    expect(await deliveriesOf(hook)).toMatchObject([{ status: 'PENDING' }])
    expect(await deleteFinished(service.ctx.db, service.ctx.now(), 10)).toBe(0)
  })
})
