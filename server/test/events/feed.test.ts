import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { extendChain } from '../../src/audit/chain/service.ts'
import type { EventBody } from '../../src/audit/event-body.ts'
import { newId } from '../../src/lib/ids.ts'
import { type ApiResponse, call, createSignedInUser, errorReply } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { admin, authorize, exchange, machineToken, obtainTokens, thirdParty, token } from '../support/world.ts'
import { insertMembership, insertTenant } from '../tenants/tenant-rows.ts'
import { openShop, type Shop, startWithoutJobs, tenantNamesIn } from './world.ts'

interface Page {
  events: EventBody[]
  next: number
  head: number
}

let service: TestService
let ops: string
let shop: Shop
let other: Shop
beforeAll(async () => {
  service = await startWithoutJobs()
  ops = await machineToken(service.url, 'demo-ops')
  shop = await openShop(service)
  other = await openShop(service)
})
afterAll(() => service?.close())

const ask = async (query: string, bearer = ops): Promise<ApiResponse> => {
  await extendChain(service.ctx)
  return call(`${service.url}/api/events${query}`, {
    method: 'GET',
    ...(bearer && { headers: { authorization: `Bearer ${bearer}` } }),
  })
}
const read = async (query = '', bearer = ops): Promise<Page> => {
  const { status, body } = await ask(query, bearer)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as unknown as Page
}
const head = async () => (await read()).head

const machine = async (traits: object) => {
  const application = await admin<{ id: string }>(service.url, '/api/admin/applications', { name: 'Ears' })
  const draft = { applicationId: application.id, kind: 'MACHINE', name: 'Ears', ...traits }
  const made = await admin<{ clientId: string; clientSecret: string }>(service.url, '/api/admin/clients', draft)
  const { clientId: client_id, clientSecret: client_secret } = made
  const { body } = await token(service.url, { grant_type: 'client_credentials', client_id, client_secret })
  return body.access_token
}

describe('the feed', () => {
  test('lists every event once, in order, and continues after a position', async () => {
    const after = await head()
    for (const name of ['One', 'Two', 'Three']) await shop.rename(name)
    const whole = await read(`?after=${after}`)
    expect(tenantNamesIn(whole.events)).toEqual(['One', 'Two', 'Three'])
    expect(whole.next).toBe(whole.head)
    const pages: EventBody[] = []
    let next = after
    for (let page = await read(`?after=${after}&limit=2`); ; page = await read(`?after=${next}&limit=2`)) {
      pages.push(...page.events)
      next = page.next
      if (page.events.length === 0) break
    }
    expect(pages).toEqual(whole.events)
    expect(next).toBe(whole.head)
    expect(new Set(pages.map(({ id }) => id)).size).toBe(3)
  })

  test('contains the complete event without IP address and user agent', async () => {
    const after = await head()
    await shop.rename('Whole')
    const { events } = await read(`?after=${after}`)
    expect(events).toEqual([
      {
        id: expect.any(String),
        position: after + 1,
        type: 'tenant.changed',
        timestamp: expect.any(String),
        data: {
          tenantId: shop.company.id,
          userId: null,
          email: null,
          actor: { kind: 'user', id: shop.owner.id },
          details: { before: { name: 'Three' }, after: { name: 'Whole' } },
        },
      },
    ])
  })

  test('filters by types and families, and skips other events', async () => {
    const after = await head()
    await shop.rename('Filtered')
    await shop.owner.call('POST', `/api/tenants/${shop.company.id}/invitations`, {
      email: 'filter@people.test',
    })
    await shop.rename('Filtered again')
    const typesOf = async (types: string) =>
      (await read(`?after=${after}&types=${types}`)).events.map(({ type }) => type)
    expect(await typesOf('tenant.changed')).toEqual(['tenant.changed', 'tenant.changed'])
    expect(await typesOf('invitation.*')).toEqual(['invitation.created'])
    expect(await typesOf('invitation.*,tenant.changed')).toHaveLength(3)
    expect(await typesOf('*')).toHaveLength(3)
    const { events, next, head: end } = await read(`?after=${after}&types=license.granted`)
    expect({ events, next }).toEqual({ events: [], next: end })
    expect(end).toBeGreaterThan(after)
  })

  test('excludes changes of webhooks', async () => {
    const after = await head()
    await shop.owner.call('POST', `/api/tenants/${shop.company.id}/webhooks`, {
      url: 'https://hooks.test/',
      events: ['*'],
    })
    const { events, next } = await read(`?after=${after}`)
    expect(events).toEqual([])
    expect(next).toBe(after + 1)
  })

  test.each(['after=-1', 'after=x', 'limit=0', 'types=', 'types=webhook.created', 'types=us*', 'tenantId=x'])(
    'refuses %s',
    async (query) => {
      expect(await ask(`?${query}`)).toMatchObject({ status: 422, body: { error: 'VALIDATION_FAILED' } })
    },
  )

  test('returns at most a thousand events, and none beyond its end', async () => {
    expect((await read('?limit=100000')).events.length).toBeLessThanOrEqual(1_000)
    const beyond = (await head()) + 1_000
    expect(await read(`?after=${beyond}`)).toMatchObject({ events: [], next: beyond })
  })
})

describe('access to the feed', () => {
  test('operators read all events, or those of one tenant', async () => {
    const after = await head()
    await shop.rename('Ours')
    await other.rename('Theirs')
    expect(tenantNamesIn((await read(`?after=${after}`)).events)).toEqual(['Ours', 'Theirs'])
    const theirs = await read(`?after=${after}&tenantId=${other.company.id}`)
    expect(tenantNamesIn(theirs.events)).toEqual(['Theirs'])
    const root = await createSignedInUser(service, { is_super_admin: true })
    expect(tenantNamesIn((await read(`?after=${after}`, root.tokens.access_token)).events)).toEqual(['Ours', 'Theirs'])
  })

  test('owners, admins and machine clients of a tenant read only its own events', async () => {
    const admins = await createSignedInUser(service)
    await insertMembership(service, shop.company, admins, { role: 'admin' })
    const tenant = { tenant: shop.company.slug }
    const readers = [
      (await obtainTokens(service.url, shop.owner.cookie, tenant)).access_token,
      (await obtainTokens(service.url, admins.cookie, tenant)).access_token,
      await machine({ tenantId: shop.company.id, scopes: ['events:read'] }),
    ]
    const after = await head()
    await shop.rename('Their own')
    await other.rename('Not theirs')
    for (const bearer of readers) {
      const { events, next, head: end } = await read(`?after=${after}`, bearer)
      expect(tenantNamesIn(events)).toEqual(['Their own'])
      expect(next).toBe(end)
      expect(await read(`?after=${after}&tenantId=${shop.company.id}`, bearer)).toMatchObject({ events })
      const all = await read('?limit=1000', bearer)
      expect(new Set(all.events.map(({ data }) => data.tenantId))).toEqual(new Set([shop.company.id]))
      for (const id of [other.company.id, newId()]) {
        expect(await ask(`?tenantId=${id}`, bearer)).toMatchObject(errorReply(403, 'FORBIDDEN'))
      }
    }
  })

  test('all other callers are refused', async () => {
    const [member, suspended] = [await createSignedInUser(service), await createSignedInUser(service)]
    await insertMembership(service, shop.company, member)
    await insertMembership(service, shop.company, suspended, { role: 'owner' })
    const tenant = { tenant: shop.company.slug }
    const suspendedToken = (await obtainTokens(service.url, suspended.cookie, tenant)).access_token
    await service.ctx.db
      .updateTable('memberships')
      .set({ status: 'SUSPENDED' })
      .where('user_id', '=', suspended.id)
      .execute()
    await service.ctx.changes.waitUntilCurrent()
    const forbidden = [
      (await obtainTokens(service.url, member.cookie, tenant)).access_token,
      // A token without a tenant, although the user owns one.
      shop.owner.tokens.access_token,
      await machine({ tenantId: shop.company.id, scopes: ['licenses:read', 'admin'] }),
      await machine({ scopes: ['events:read'] }),
    ]
    for (const bearer of forbidden) expect(await ask('', bearer)).toMatchObject(errorReply(403, 'FORBIDDEN'))
    expect(await ask('', '')).toMatchObject(errorReply(401, 'UNAUTHORIZED'))
    expect(await ask('', suspendedToken)).toMatchObject(errorReply(401, 'UNAUTHORIZED'))
    const cookie = await call(`${service.url}/api/events`, {
      method: 'GET',
      headers: { cookie: shop.owner.cookie },
    })
    expect(cookie).toMatchObject(errorReply(401, 'UNAUTHORIZED'))
  })

  test('a third-party application is refused, although its user owns the tenant', async () => {
    const { clientId } = await thirdParty(service.url)
    const { db } = service.ctx
    const client = await db
      .selectFrom('clients')
      .select('application_id')
      .where('client_id', '=', clientId)
      .executeTakeFirstOrThrow()
    const company = await insertTenant(service)
    const owner = await createSignedInUser(service)
    await insertMembership(service, company, owner, { role: 'owner' })
    const consent = {
      user_id: owner.id,
      application_id: client.application_id,
      tenant_id: company.id,
      scopes: ['openid', 'profile', 'email', 'offline_access'],
      granted_at: new Date(),
    }
    await db.insertInto('consents').values(consent).execute()
    const request = { client_id: clientId, tenant: company.slug }
    const { answer } = await authorize(service.url, owner.cookie, request)
    const { body } = await exchange(service.url, answer.code, { client_id: clientId })
    expect(body.access_token).toBeDefined()
    expect(await ask('', body.access_token)).toMatchObject(errorReply(403, 'FORBIDDEN'))
  })
})
