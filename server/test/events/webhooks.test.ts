import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { errorReply } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import {
  callAsOps,
  createInstanceHook,
  createTenantHook,
  type Hook,
  openShop,
  runEventJobs,
  type Shop,
  startWithoutJobs,
} from './world.ts'

let service: TestService
let shop: Shop
beforeAll(async () => {
  service = await startWithoutJobs()
})
beforeEach(async () => {
  shop = await openShop(service)
})
afterAll(() => service?.close())

const WEBHOOK_URL = 'https://hooks.test/in?token=hush'

const entriesOf = async ({ id }: Pick<Hook, 'id'>) => {
  const entries = await service.ctx.db
    .selectFrom('audit_entries')
    .select(['action', 'tenant_id', 'actor_kind', 'details', 'personal'])
    .where('action', 'like', 'webhook.%')
    .orderBy('id')
    .execute()
  return entries.filter(({ details }) => details.webhookId === id)
}

describe('a webhook', () => {
  test('is created with a secret that is shown once, and is read, listed, changed and deleted', async () => {
    const base = `/api/tenants/${shop.company.id}/webhooks`
    const made = await shop.owner.call('POST', base, {
      url: WEBHOOK_URL,
      events: ['user.*', 'member.joined'],
      description: 'Ledger',
    })
    expect(made.status).toBe(201)
    const { secret, ...shown } = made.body as { secret: string; id: string }
    expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32)
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(shown).toEqual({
      id: expect.any(String),
      url: WEBHOOK_URL,
      events: ['user.*', 'member.joined'],
      description: 'Ledger',
      disabled: false,
      disabledAt: null,
      disabledReason: null,
      previousSecretUntil: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    expect((await shop.owner.call('GET', base)).body).toEqual({ webhooks: [shown] })
    expect((await shop.owner.call('GET', `${base}/${shown.id}`)).body).toEqual(shown)
    const change = { events: ['*'], description: null, disabled: true }
    const changed = await shop.owner.call('PATCH', `${base}/${shown.id}`, change)
    expect(changed).toMatchObject({
      status: 200,
      body: { events: ['*'], description: null, disabled: true, disabledReason: 'REQUESTED' },
    })
    expect((await shop.owner.call('DELETE', `${base}/${shown.id}`)).status).toBe(200)
    expect((await shop.owner.call('GET', base)).body).toEqual({ webhooks: [] })
    expect(await shop.owner.call('GET', `${base}/${shown.id}`)).toMatchObject(errorReply(404, 'WEBHOOK_NOT_FOUND'))
  })

  test('keeps its secret sealed', async () => {
    const hook = await createTenantHook(shop, WEBHOOK_URL)
    const row = await service.ctx.db
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', hook.id)
      .executeTakeFirstOrThrow()
    const raw = Buffer.from(hook.secret.slice(6), 'base64')
    expect(row.sealed_secret.includes(raw)).toBe(false)
    expect(row.sealed_secret.includes(Buffer.from(hook.secret))).toBe(false)
    const visible = JSON.stringify([await entriesOf(hook), service.logs, (await hook.call('GET')).body])
    expect(visible).not.toContain(hook.secret.slice(6))
  })

  test('is recorded with its origin, but without the secret parts of its URL', async () => {
    const hook = await createTenantHook(shop, WEBHOOK_URL)
    await hook.call('PATCH', '', { url: 'https://hooks.test/other-path?token=other', events: ['user.*'] })
    await hook.call('PATCH', '', { url: 'https://hooks2.test/other-path?token=other' })
    await hook.call('POST', '/secret')
    await hook.call('POST', '/replay', { after: 0 })
    await hook.call('DELETE')
    const entries = await entriesOf(hook)
    const [url, moved] = ['https://hooks.test', 'https://hooks2.test']
    const webhookId = hook.id
    expect(entries.map(({ action, details }) => [action, details])).toEqual([
      ['webhook.created', { webhookId, after: { url, events: ['*'], description: null, disabled: false } }],
      [
        'webhook.changed',
        { webhookId, before: { url, events: ['*'] }, after: { url, events: ['user.*'] }, pathChanged: true },
      ],
      ['webhook.changed', { webhookId, before: { url }, after: { url: moved } }],
      ['webhook.secret_rotated', { webhookId }],
      ['webhook.replayed', { webhookId, count: 0 }],
      [
        'webhook.deleted',
        { webhookId, before: { url: moved, events: ['user.*'], description: null, disabled: false } },
      ],
    ])
    expect(new Set(entries.map(({ tenant_id }) => tenant_id))).toEqual(new Set([shop.company.id]))
    expect(JSON.stringify(entries)).not.toMatch(/token=|other-path|\/in/)
  })

  test('that is updated without changes records nothing', async () => {
    const hook = await createTenantHook(shop, WEBHOOK_URL)
    const before = (await hook.call('GET')).body
    expect(await hook.call('PATCH', '', { url: WEBHOOK_URL, disabled: false })).toMatchObject({
      status: 200,
      body: before,
    })
    expect(await entriesOf(hook)).toHaveLength(1)
    expect(await hook.call('PATCH', '', {})).toMatchObject({ status: 422 })
  })

  test('of the instance is accessible to operators only, and separate from those of tenants', async () => {
    const [theirs, ours] = [await createTenantHook(shop, WEBHOOK_URL), await createInstanceHook(service, WEBHOOK_URL)]
    const { body } = await callAsOps(service, 'GET', '/api/admin/webhooks')
    const ids = (body as { webhooks: { id: string }[] }).webhooks.map(({ id }) => id)
    expect(ids).toContain(ours.id)
    expect(ids).not.toContain(theirs.id)
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const sent = method === 'PATCH' ? { disabled: true } : undefined
      expect(await callAsOps(service, method, `/api/admin/webhooks/${theirs.id}`, sent)).toMatchObject(
        errorReply(404, 'WEBHOOK_NOT_FOUND'),
      )
      expect(await shop.owner.call(method, '/api/admin/webhooks', sent)).not.toMatchObject({ status: 200 })
    }
    expect(await shop.owner.call('GET', '/api/admin/webhooks')).toMatchObject(errorReply(403, 'FORBIDDEN'))
    expect((await entriesOf(ours))[0]).toMatchObject({ tenant_id: null, actor_kind: 'client' })
    await ours.call('DELETE')
  })
})

describe('a tenant', () => {
  test('cannot access the webhooks of another tenant or of the instance', async () => {
    const neighbor = await openShop(service)
    const [theirs, instance] = [
      await createTenantHook(neighbor, WEBHOOK_URL),
      await createInstanceHook(service, WEBHOOK_URL),
    ]
    await neighbor.rename('Busy')
    await runEventJobs(service)
    const { body } = await theirs.call('GET', '/deliveries')
    const [delivery] = (body as { deliveries: { id: string }[] }).deliveries
    const mine = await createTenantHook(shop, WEBHOOK_URL)
    const base = `/api/tenants/${shop.company.id}/webhooks`
    for (const id of [theirs.id, instance.id, newId(), 'nothing', "'"]) {
      const requests = [
        ['GET', ''],
        ['PATCH', '', { disabled: true }],
        ['DELETE', ''],
        ['POST', '/secret'],
        ['GET', '/deliveries'],
        ['POST', '/replay', { after: 0 }],
        ['POST', `/deliveries/${delivery?.id}/replay`],
      ] as [string, string, object?][]
      for (const [method, below, sent] of requests) {
        const answer = await shop.owner.call(method, `${base}/${encodeURIComponent(id)}${below}`, sent)
        expect(answer, `${method} ${below}`).toMatchObject(errorReply(404, 'WEBHOOK_NOT_FOUND'))
      }
    }
    for (const id of [delivery?.id, newId(), 'nothing']) {
      expect(await mine.call('POST', `/deliveries/${id}/replay`)).toMatchObject(errorReply(404, 'DELIVERY_NOT_FOUND'))
    }
    expect((await theirs.call('GET')).body).toMatchObject({ disabled: false, previousSecretUntil: null })
    expect((await shop.owner.call('GET', base)).body).toMatchObject({ webhooks: [{ id: mine.id }] })
    await instance.call('DELETE')
  })

  test('has at most twenty, also with concurrent requests', async () => {
    for (let made = 0; made < 17; made++) await createTenantHook(shop, WEBHOOK_URL)
    const base = `/api/tenants/${shop.company.id}/webhooks`
    const draft = { url: WEBHOOK_URL, events: ['*'] }
    const answers = await Promise.all(Array.from({ length: 6 }, () => shop.owner.call('POST', base, draft)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409])
    expect(answers.find(({ status }) => status === 409)).toMatchObject(errorReply(409, 'TOO_MANY_WEBHOOKS'))
  })

  test('that is deleted loses its webhooks', async () => {
    const hook = await createTenantHook(shop, WEBHOOK_URL)
    await shop.rename('Last')
    await runEventJobs(service)
    expect((await shop.owner.call('DELETE', `/api/tenants/${shop.company.id}`)).status).toBe(200)
    const left = service.ctx.db.selectFrom('webhook_deliveries').select('id').where('webhook_id', '=', hook.id)
    expect(await left.execute()).toEqual([])
  })
})

test('the instance has at most a hundred, also with concurrent requests', async () => {
  const { body } = await callAsOps(service, 'GET', '/api/admin/webhooks')
  const existing = (body as { webhooks: unknown[] }).webhooks.length
  for (let made = existing; made < 97; made++) await createInstanceHook(service, WEBHOOK_URL, { disabled: true })
  const draft = { url: WEBHOOK_URL, events: ['*'], disabled: true }
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => callAsOps(service, 'POST', '/api/admin/webhooks', draft)),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409])
})
