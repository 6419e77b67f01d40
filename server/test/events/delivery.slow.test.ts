import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { fanOut } from '../../src/events/fan-out/service.ts'
import { sweepDeliveries } from '../../src/events/sweep/service.ts'
import { sealSecret, unsealActiveSecrets } from '../../src/events/webhooks/secrets.ts'
import { createSealer } from '../../src/lib/seal.ts'
import { type Received, startReceiver, verify } from '../support/receiver.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { accepted, advance, deliveriesOf, receiver, service, setUpDeliveries, shop } from './deliveries.ts'
import {
  createInstanceHook,
  createTenantHook,
  HOUR_MS,
  type Hook,
  openShop,
  runEventJobs,
  tenantNamesIn,
} from './world.ts'

setUpDeliveries()

describe('a delivery', () => {
  test('contains the event of the feed, signed as specified by Standard Webhooks', async () => {
    const hook = await createTenantHook(shop, `${receiver.url}?key=a%20b`)
    await shop.rename('Signed')
    await runEventJobs(service)
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
      lastStatus: 200,
      lastError: null,
      nextAttemptAt: null,
      createdAt: expect.any(String),
      finishedAt: expect.any(String),
    })
  })

  test('contains only new events of the requested types and the own tenant', async () => {
    const other = await openShop(service)
    await shop.rename('Before')
    await runEventJobs(service)
    await createTenantHook(shop, receiver.url, { events: ['tenant.changed'] })
    const all = await startReceiver()
    await createInstanceHook(service, all.url)
    await shop.rename('After')
    await other.rename('Elsewhere')
    await shop.owner.call('POST', `/api/tenants/${shop.company.id}/invitations`, { email: 'x@people.test' })
    await runEventJobs(service)
    expect(accepted()).toEqual(['After'])
    expect(receiver.received()).toHaveLength(1)
    expect(tenantNamesIn(all.accepted()).sort()).toEqual(['After', 'Elsewhere'])
    expect(all.accepted().map(({ type }) => type)).toContain('invitation.created')
    await all.close()
  })

  test.runIf(FULL)('excludes old events, even if they were linked after the webhook was created', async () => {
    await shop.rename('Long before')
    advance(61_000)
    await shop.rename('Just before')
    advance(1_000)
    await createTenantHook(shop, receiver.url)
    await shop.rename('After')
    await runEventJobs(service)
    expect(accepted()).toEqual(['Just before', 'After'])
  })

  test.runIf(FULL)('reports the deletion of a tenant to operators, after all other events of the tenant', async () => {
    const hook = await createInstanceHook(service, receiver.url, { events: ['tenant.*'] })
    await shop.rename('Nearly gone')
    await shop.owner.call('DELETE', `/api/tenants/${shop.company.id}`)
    await runEventJobs(service)
    expect(receiver.accepted().map(({ type }) => type)).toEqual(['tenant.changed', 'tenant.deleted'])
    expect(await deliveriesOf(hook)).toHaveLength(2)
  })

  test.runIf(FULL)('contains no address that was erased before the retry', async () => {
    await createTenantHook(shop, receiver.url)
    receiver.setBehavior({ status: 500 })
    await shop.owner.call('POST', `/api/tenants/${shop.company.id}/invitations`, {
      email: 'once@people.test',
    })
    await runEventJobs(service)
    expect(receiver.received()[0]?.body).toContain('once@people.test')
    await service.ctx.db.updateTable('audit_entries').set({ personal: '{}' }).execute()
    advance(10_000)
    receiver.setBehavior({})
    await runEventJobs(service)
    const [, again] = receiver.received()
    expect(again?.body).not.toContain('once@people.test')
    expect(again?.headers['webhook-id']).toBe(receiver.received()[0]?.headers['webhook-id'])
  })

  test('needs one statement without webhooks', async () => {
    const watch = await watchStatements(service)
    await shop.rename('Unheard')
    await runEventJobs(service)
    expect(await watch.count(() => fanOut(service.ctx))).toBe(1)
    await watch.close()
  })
})

describe('secrets', () => {
  const signaturesOf = ({ headers, body }: Received, secret: string) => {
    const key = Buffer.from(secret.slice(6), 'base64')
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const own = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
    const signatures = headers['webhook-signature']?.split(' ') ?? []
    return { count: signatures.length, own: signatures.includes(own) }
  }

  test('both sign for a day after a rotation, then only the new one', async () => {
    const hook = await createTenantHook(shop, receiver.url)
    const { status, body } = await hook.call('POST', '/secret')
    const { secret } = body as { secret: string }
    expect(status).toBe(200)
    expect(secret).not.toBe(hook.secret)
    await shop.rename('Both')
    await runEventJobs(service)
    const [both] = receiver.received() as [Received]
    for (const known of [hook.secret, secret]) expect(verify(known, both)).toBeDefined()
    expect(signaturesOf(both, hook.secret)).toEqual({ count: 2, own: true })
    advance(24 * HOUR_MS + 1_000)
    await shop.rename('One')
    await runEventJobs(service)
    const [, one] = receiver.received() as [Received, Received]
    expect(signaturesOf(one, secret)).toEqual({ count: 1, own: true })
    expect(signaturesOf(one, hook.secret).own).toBe(false)
    await sweepDeliveries.run(service.ctx, undefined)
    expect((await hook.call('GET')).body).toMatchObject({ previousSecretUntil: null })
  })
})

describe('a secret', () => {
  const withKeys = (...keys: [Buffer, ...Buffer[]]): TestService => ({
    ...service,
    ctx: { ...service.ctx, keys: createSealer(keys) },
  })
  const sealWith = ({ ctx }: TestService, { id }: Hook, secret: string) =>
    ctx.db
      .updateTable('webhooks')
      .set({ sealed_secret: sealSecret(ctx, secret) })
      .where('id', '=', id)
      .execute()

  test.runIf(FULL)(
    'that cannot be unsealed is no failed attempt, and the event is sent soon after it can be',
    async () => {
      const hook = await createTenantHook(shop, receiver.url)
      await sealWith(withKeys(randomBytes(32)), hook, hook.secret)
      await shop.rename('Kept back')
      await runEventJobs(service)
      expect(await deliveriesOf(hook)).toMatchObject([{ status: 'PENDING', attempts: 0, lastError: null }])
      expect(JSON.stringify(service.logs)).toContain('webhook partition failed')
      await sealWith(service, hook, hook.secret)
      advance(5_001)
      await runEventJobs(service)
      expect(accepted()).toEqual(['Kept back'])
    },
  )

  test.runIf(FULL)('is resealed hourly with the newest key, so that the old key can be removed', async () => {
    const [old, next] = [randomBytes(32), randomBytes(32)]
    const [hook, lost] = [await createTenantHook(shop, receiver.url), await createTenantHook(shop, receiver.url)]
    await sealWith(withKeys(old), hook, hook.secret)
    await sealWith(withKeys(randomBytes(32)), lost, lost.secret)
    await service.ctx.db
      .updateTable('webhooks')
      .set({
        sealed_previous_secret: sealSecret(withKeys(old).ctx, lost.secret),
        previous_secret_until: new Date(service.ctx.now().getTime() + HOUR_MS),
      })
      .where('id', '=', hook.id)
      .execute()
    await sweepDeliveries.run(withKeys(next, old).ctx, undefined)
    await hook.call('PATCH', '', { description: 'Still itself' })
    const row = await service.ctx.db
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', hook.id)
      .executeTakeFirstOrThrow()
    expect(unsealActiveSecrets(withKeys(next).ctx, row, service.ctx.now())).toEqual([hook.secret, lost.secret])
    expect(JSON.stringify(service.logs)).toContain('webhook secret could not be resealed')
    const before = row.sealed_secret
    await sweepDeliveries.run(withKeys(next).ctx, undefined)
    const after = await service.ctx.db
      .selectFrom('webhooks')
      .select('sealed_secret')
      .where('id', '=', hook.id)
      .executeTakeFirstOrThrow()
    expect(after.sealed_secret.equals(before)).toBe(true)
  })
})
