import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { newId } from '../../src/lib/ids.ts'
import { failure } from '../account/people.ts'
import { startService, type TestService } from '../support/service.ts'
import { asOps, type Hook, hookOf, instanceHook, openShop, pass, type Shop, startQuiet } from './world.ts'

let service: TestService
let strict: TestService
let shop: Shop
beforeAll(async () => {
  service = await startQuiet()
  strict = await startService({ beside: service })
})
beforeEach(async () => {
  shop = await openShop(service)
})
afterAll(async () => {
  await strict?.close()
  await service?.close()
})

const URL_OF_ONE = 'https://hooks.test/in?token=hush'

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
  test('is made with a secret that is shown once, and read, listed, changed and deleted', async () => {
    const base = `/api/tenants/${shop.company.id}/webhooks`
    const made = await shop.owner.call('POST', base, {
      url: URL_OF_ONE,
      events: ['user.*', 'member.joined'],
      description: 'Ledger',
    })
    expect(made.status).toBe(201)
    const { secret, ...shown } = made.body as { secret: string; id: string }
    expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32)
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(shown).toEqual({
      id: expect.any(String),
      url: URL_OF_ONE,
      events: ['user.*', 'member.joined'],
      description: 'Ledger',
      ...{ disabled: false, disabledAt: null, disabledReason: null, previousSecretUntil: null },
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
    expect(await shop.owner.call('GET', `${base}/${shown.id}`)).toMatchObject(
      failure(404, 'WEBHOOK_NOT_FOUND'),
    )
  })

  test('keeps its secret sealed', async () => {
    const hook = await hookOf(shop, URL_OF_ONE)
    const row = await service.ctx.db
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', hook.id)
      .executeTakeFirstOrThrow()
    const raw = Buffer.from(hook.secret.slice(6), 'base64')
    expect(row.sealed_secret.includes(raw)).toBe(false)
    expect(row.sealed_secret.includes(Buffer.from(hook.secret))).toBe(false)
    const told = JSON.stringify([await entriesOf(hook), service.logs, (await hook.call('GET')).body])
    expect(told).not.toContain(hook.secret.slice(6))
  })

  test('is written down with its address, but not with what may be secret in it', async () => {
    const hook = await hookOf(shop, URL_OF_ONE)
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

  test('that is changed into what it is stays as it is, and nothing is written down', async () => {
    const hook = await hookOf(shop, URL_OF_ONE)
    const before = (await hook.call('GET')).body
    expect(await hook.call('PATCH', '', { url: URL_OF_ONE, disabled: false })).toMatchObject({
      status: 200,
      body: before,
    })
    expect(await entriesOf(hook)).toHaveLength(1)
    expect(await hook.call('PATCH', '', {})).toMatchObject({ status: 422 })
  })

  test('of the instance is for operators, who see no tenant’s among them', async () => {
    const [theirs, ours] = [await hookOf(shop, URL_OF_ONE), await instanceHook(service, URL_OF_ONE)]
    const { body } = await asOps(service, 'GET', '/api/admin/webhooks')
    const ids = (body as { webhooks: { id: string }[] }).webhooks.map(({ id }) => id)
    expect(ids).toContain(ours.id)
    expect(ids).not.toContain(theirs.id)
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const sent = method === 'PATCH' ? { disabled: true } : undefined
      expect(await asOps(service, method, `/api/admin/webhooks/${theirs.id}`, sent)).toMatchObject(
        failure(404, 'WEBHOOK_NOT_FOUND'),
      )
      expect(await shop.owner.call(method, '/api/admin/webhooks', sent)).not.toMatchObject({ status: 200 })
    }
    expect(await shop.owner.call('GET', '/api/admin/webhooks')).toMatchObject(failure(403, 'FORBIDDEN'))
    expect((await entriesOf(ours))[0]).toMatchObject({ tenant_id: null, actor_kind: 'client' })
    await ours.call('DELETE')
  })
})

describe('a tenant', () => {
  test('neither sees nor touches the webhooks of another, nor those of the instance', async () => {
    const neighbour = await openShop(service)
    const [theirs, instance] = [await hookOf(neighbour, URL_OF_ONE), await instanceHook(service, URL_OF_ONE)]
    await neighbour.rename('Busy')
    await pass(service)
    const { body } = await theirs.call('GET', '/deliveries')
    const [delivery] = (body as { deliveries: { id: string }[] }).deliveries
    const mine = await hookOf(shop, URL_OF_ONE)
    const base = `/api/tenants/${shop.company.id}/webhooks`
    for (const id of [theirs.id, instance.id, newId(), 'nothing', "'"]) {
      const knocks = [
        ...[
          ['GET', ''],
          ['PATCH', '', { disabled: true }],
          ['DELETE', ''],
          ['POST', '/secret'],
        ],
        ...[
          ['GET', '/deliveries'],
          ['POST', '/replay', { after: 0 }],
        ],
        ['POST', `/deliveries/${delivery?.id}/replay`],
      ] as [string, string, object?][]
      for (const [method, below, sent] of knocks) {
        const answer = await shop.owner.call(method, `${base}/${encodeURIComponent(id)}${below}`, sent)
        expect(answer, `${method} ${below}`).toMatchObject(failure(404, 'WEBHOOK_NOT_FOUND'))
      }
    }
    for (const id of [delivery?.id, newId(), 'nothing']) {
      expect(await mine.call('POST', `/deliveries/${id}/replay`)).toMatchObject(
        failure(404, 'DELIVERY_NOT_FOUND'),
      )
    }
    expect((await theirs.call('GET')).body).toMatchObject({ disabled: false, previousSecretUntil: null })
    expect((await shop.owner.call('GET', base)).body).toMatchObject({ webhooks: [{ id: mine.id }] })
    await instance.call('DELETE')
  })

  test('has at most twenty, also when they are made at once', async () => {
    for (let made = 0; made < 17; made++) await hookOf(shop, URL_OF_ONE)
    const base = `/api/tenants/${shop.company.id}/webhooks`
    const draft = { url: URL_OF_ONE, events: ['*'] }
    const answers = await Promise.all(Array.from({ length: 6 }, () => shop.owner.call('POST', base, draft)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409])
    expect(answers.find(({ status }) => status === 409)).toMatchObject(failure(409, 'TOO_MANY_WEBHOOKS'))
  })

  test('that is deleted takes its webhooks with it', async () => {
    const hook = await hookOf(shop, URL_OF_ONE)
    await shop.rename('Last')
    await pass(service)
    expect((await shop.owner.call('DELETE', `/api/tenants/${shop.company.id}`)).status).toBe(200)
    const left = service.ctx.db
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('webhook_id', '=', hook.id)
    expect(await left.execute()).toEqual([])
  })
})

test('the instance has at most a hundred, also when they are made at once', async () => {
  const { body } = await asOps(service, 'GET', '/api/admin/webhooks')
  const there = (body as { webhooks: unknown[] }).webhooks.length
  for (let made = there; made < 97; made++) await instanceHook(service, URL_OF_ONE, { disabled: true })
  const draft = { url: URL_OF_ONE, events: ['*'], disabled: true }
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => asOps(service, 'POST', '/api/admin/webhooks', draft)),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409])
})

describe('what is refused', () => {
  const refused = async (draft: object, at: TestService = service) => {
    const path = `/api/tenants/${shop.company.id}/webhooks`
    const { status, body } = await (at === service
      ? shop.owner.call('POST', path, draft)
      : asOps(at, 'POST', '/api/admin/webhooks', draft))
    return status === 422
      ? (body as { details: { field: string }[] }).details.map(({ field }) => field)
      : status
  }

  test.each([
    ...['', 'hooks.test', '/in', 'ftp://hooks.test/', 'javascript:alert(1)', 'file:///etc/passwd'],
    ...['https://user:pass@hooks.test/', 'https://user@hooks.test/', 'https://hooks.test/#x'],
    ...[
      'https://10.0.0.1/',
      'https://169.254.169.254/latest',
      'https://[::1]/',
      'https://0x0a.1/',
      'https://[fd00::1]/',
    ],
    ...['https://[::ffff:10.0.0.1]/', 'https://hooks.test/ x', 'https://hööks.test/', 'https://'],
    `https://hooks.test/${'x'.repeat(2_000)}`,
  ])('the address %s', async (url) => {
    expect(await refused({ url, events: ['*'] })).toEqual(['url'])
  })

  test('an address without TLS, and one of this machine, unless operators have said so', async () => {
    for (const url of ['http://hooks.test/', 'https://127.0.0.1/', 'http://127.0.0.1/']) {
      expect(await refused({ url, events: ['*'] }, strict)).toEqual(['url'])
    }
    expect(await refused({ url: 'http://hooks.test/', events: ['*'] })).toBe(201)
    // A public address is never sent to in the clear.
    expect(await refused({ url: 'http://8.8.8.8/', events: ['*'] })).toEqual(['url'])
  })

  test.each([
    [[], ['events']],
    [['nothing.*'], ['events.0']],
    [['user.*', 'user.nothing'], ['events.1']],
    [['webhook.created'], ['events.0']],
    [['user*'], ['events.0']],
    [['*', '*'], ['events']],
    [Array.from({ length: 101 }, () => '*'), ['events']],
  ])('the events %j', async (events, fields) => {
    expect(await refused({ url: URL_OF_ONE, events })).toEqual(fields)
  })

  test('a description that is too long or more than a line', async () => {
    for (const description of ['x'.repeat(501), 'two\nlines', 'a\u202eb']) {
      expect(await refused({ url: URL_OF_ONE, events: ['*'], description })).toEqual(['description'])
    }
  })

  test.each([
    {},
    { to: '2030-01-01T00:00:00Z' },
    { after: -1 },
    { after: 0, types: ['x'] },
    { from: 'then' },
  ])('a replay of %j', async (request) => {
    const hook = await hookOf(shop, URL_OF_ONE)
    expect(await hook.call('POST', '/replay', request)).toMatchObject({ status: 422 })
  })

  test.each(['10.0.0.0/33', 'localhost', '10.0.0.0/8/8', '10.0.0.0/x'])('the network %s', (network) => {
    expect(() => loadConfig('demo', { WEBHOOK_ALLOWED_NETWORKS: `127.0.0.1, ${network}` })).toThrow(
      `WEBHOOK_ALLOWED_NETWORKS holds "${network}"`,
    )
  })
})
