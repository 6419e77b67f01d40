import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordAuditEvent } from '../../src/audit/record.ts'
import { newId } from '../../src/lib/ids.ts'
import { type ApiResponse, call, createSignedInUser, errorReply } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { machineToken, signIn, startDemoService } from '../support/world.ts'
import { insertMembership, insertTenant } from '../tenants/tenant-rows.ts'
import { recordEntries, runSql } from './log.ts'

interface Entry {
  id: string
  occurredAt: string
  action: string
  actor: { kind: string; id: string | null; displayName: string | null }
  userId: string | null
  tenantId: string | null
  clientId: string | null
  requestId: string | null
  ipAddress: string | null
  details: Record<string, unknown>
}
interface Page extends ApiResponse {
  body: ApiResponse['body'] & {
    entries: Entry[]
    pagination: Record<string, unknown> & { next: string | null }
  }
}

let service: TestService
let operations: Record<string, string>
beforeAll(async () => {
  service = await startDemoService()
  operations = { authorization: `Bearer ${await machineToken(service.url, 'demo-ops')}` }
})
afterAll(() => service.close())

const read = async (query: Record<string, string | number> = {}, headers = operations) =>
  (await call(`${service.url}/api/admin/audit?${new URLSearchParams(query as Record<string, string>)}`, {
    method: 'GET',
    headers,
  })) as Page
const idsOf = ({ body }: Page) => body.entries.map(({ id }) => id)

describe('the audit log of the instance', () => {
  test('is readable by operators only', async () => {
    const superAdmin = await createSignedInUser(service, { is_super_admin: true })
    for (const path of ['/api/admin/audit', '/api/admin/audit/export?format=csv']) {
      const ask = async (headers: Record<string, string>) => {
        const response = await fetch(service.url + path, { headers })
        const text = await response.text()
        return { status: response.status, body: response.ok ? {} : (JSON.parse(text) as object) }
      }
      expect(await ask(operations)).toMatchObject({ status: 200 })
      const withToken = (token: string) => ({ authorization: `Bearer ${token}` })
      expect(await ask(withToken(superAdmin.tokens.access_token))).toMatchObject({ status: 200 })
      const forbidden = errorReply(403, 'FORBIDDEN')
      expect(await ask(withToken(await machineToken(service.url, 'demo-machine')))).toEqual(forbidden)
      const member = await createSignedInUser(service)
      expect(await ask(withToken(member.tokens.access_token))).toEqual(forbidden)
      expect(await ask({})).toEqual(errorReply(401, 'UNAUTHORIZED'))
      // A session cookie is not enough, even of a Super Admin.
      const cookie = await signIn(service.url, 'admin@latchkey.test')
      expect(await ask({ cookie })).toEqual(errorReply(401, 'UNAUTHORIZED'))
    }
  })

  test('contains actor, action, time, client and request data', async () => {
    const somebody = await createSignedInUser(service)
    const { headers } = await somebody.call('GET', '/api/users/me/export')
    const { body } = await read({ userId: somebody.id, action: 'user.data_exported' })
    expect(body).toMatchObject({
      pagination: { page: 1, limit: 20, total: 1, pages: 1, totalIsExact: true, next: null },
    })
    expect(body.entries).toEqual([
      {
        id: expect.any(String),
        occurredAt: expect.any(String),
        action: 'user.data_exported',
        actor: { kind: 'user', id: somebody.id, displayName: somebody.email.split('@')[0] },
        clientId: 'demo-spa',
        tenantId: null,
        userId: somebody.id,
        email: null,
        ipAddress: '127.0.0.1',
        userAgent: 'node',
        requestId: expect.any(String),
        details: {},
      },
    ])
    expect(body.entries[0]?.requestId).toBe(headers.get('x-request-id'))
  })

  test('can be filtered by every field and by several at once', async () => {
    await recordEntries(service.ctx, 3)
    const { entries: all } = (await read({ limit: 100 })).body
    const sample = all.find(({ clientId, userId }) => clientId && userId) as Entry
    const filters: [string, string, (entry: Entry) => boolean][] = [
      ['action', 'member.joined', ({ action }) => action === 'member.joined'],
      ['action', 'member', ({ action }) => action.startsWith('member.')],
      ['actorId', `${sample.actor.id}`, ({ actor }) => actor.id === sample.actor.id],
      ['userId', `${sample.userId}`, ({ userId }) => userId === sample.userId],
      ['clientId', 'demo-spa', ({ clientId }) => clientId === 'demo-spa'],
      ['requestId', `${sample.requestId}`, ({ requestId }) => requestId === sample.requestId],
      ['ipAddress', '127.0.0.1', ({ ipAddress }) => ipAddress === '127.0.0.1'],
      ['from', sample.occurredAt, ({ occurredAt }) => occurredAt >= sample.occurredAt],
      ['to', sample.occurredAt, ({ occurredAt }) => occurredAt < sample.occurredAt],
    ]
    const { tenantId } = all.find((entry) => entry.tenantId) as Entry
    filters.push(['tenantId', `${tenantId}`, (entry) => entry.tenantId === tenantId])
    for (const [name, value, fits] of filters) {
      const found = await read({ [name]: value, limit: 100 })
      expect(idsOf(found), name).toEqual(all.filter(fits).map(({ id }) => id))
      expect(found.body.entries.length, name).toBeGreaterThan(0)
    }
    const both = { clientId: 'demo-spa', action: 'user' }
    const expected = all.filter(({ clientId, action }) => clientId === 'demo-spa' && action.startsWith('user.'))
    expect(idsOf(await read({ ...both, limit: 100 }))).toEqual(expected.map(({ id }) => id))
    expect(idsOf(await read({ order: 'asc', limit: 100 }))).toEqual(all.map(({ id }) => id).toReversed())
  })

  test.each([
    'page=0',
    'limit=x',
    'action=Member',
    'userId=1',
    'tenantId=acme',
    'after=1',
    'order=up',
    'from=today',
    `actorId=${'x'.repeat(201)}`,
    `requestId=${'x'.repeat(201)}`,
    `ipAddress=${'x'.repeat(201)}`,
    `after=${newId()}&page=2`,
  ])('refuses the query %s', async (query) => {
    for (const path of ['/api/admin/audit?', '/api/admin/audit/export?format=csv&']) {
      if (path.includes('export') && /page|limit|after/.test(query)) continue
      const answer = await call(service.url + path + query, { method: 'GET', headers: operations })
      expect(answer).toMatchObject({ status: 422, body: { error: 'VALIDATION_FAILED' } })
    }
  })

  test.each(['desc', 'asc'])('is paged by cursor without gaps and duplicates while it grows (%s)', async (order) => {
    const { ctx } = service
    const before = (await runSql(ctx, 'select id from audit_entries order by id')).map(({ id }) => String(id))
    let reading = true
    const writing = (async () => {
      while (reading) await recordEntries(ctx, 2)
    })()
    const seen: string[] = []
    let after: string | null = null
    do {
      const page: Page = await read({ order, limit: 7, ...(after && { after }) })
      seen.push(...idsOf(page))
      after = page.body.pagination.next
      // In ascending order the end keeps moving, so stop at the last known entry.
    } while (after !== null && !(order === 'asc' && seen.includes(`${before.at(-1)}`)))
    reading = false
    await writing
    expect(new Set(seen).size).toBe(seen.length)
    const known = seen.filter((id) => before.includes(id))
    expect(known).toEqual(order === 'asc' ? before : before.toReversed())
  })

  test('counts up to 10,000 entries, reports when there are more, and then requires a cursor', async () => {
    const { ctx } = service
    const actor = newId()
    const add = (count: number) =>
      runSql(
        ctx,
        `insert into audit_entries (id, occurred_at, action, actor_kind, actor_id)
         select ('0${'1'.repeat(7)}-' || lpad(to_hex(n / 65536 + ${count}), 4, '0') || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
           '2020-01-01', 'user.password_changed', 'client', '${actor}' from generate_series(1, ${count}) n`,
      )
    await add(9_999)
    expect((await read({ actorId: actor, limit: 100 })).body.pagination).toEqual({
      page: 1,
      limit: 100,
      total: 9_999,
      pages: 100,
      totalIsExact: true,
      next: expect.any(String),
    })
    await add(2)
    const page = await read({ actorId: actor, limit: 100, page: 100 })
    const counted = { total: 10_000, pages: 100, totalIsExact: false }
    const next = page.body.entries.at(-1)?.id
    expect(page.body.pagination).toEqual({ page: 100, limit: 100, ...counted, next })
    expect(await read({ actorId: actor, limit: 100, page: 101 })).toMatchObject({
      status: 422,
      body: { details: [{ field: 'page', message: expect.stringContaining('go on with after') }] },
    })
    const rest = await read({ actorId: actor, limit: 100, after: `${page.body.pagination.next}` })
    expect(rest.body).toMatchObject({ pagination: { page: 1, ...counted, next: null } })
    expect(rest.body.entries).toHaveLength(1)
  })
})

describe('the audit log of a tenant', () => {
  test('is paged by cursor, contains the client, and excludes other tenants', async () => {
    const company = await insertTenant(service)
    const owner = await createSignedInUser(service)
    await insertMembership(service, company, owner, { role: 'owner' })
    await recordEntries(service.ctx, 5, { tenantId: company.id })
    await owner.call('PATCH', `/api/tenants/${company.id}`, { name: 'Renamed' })
    const path = `/api/tenants/${company.id}/audit?limit=4`
    const first = (await owner.call('GET', path)) as Page
    expect(first.body.entries[0]).toMatchObject({
      action: 'tenant.changed',
      clientId: 'demo-spa',
      tenantId: company.id,
    })
    expect(first.body.pagination.next).toBe(first.body.entries.at(-1)?.id)
    const second = (await owner.call('GET', `${path}&after=${first.body.pagination.next}`)) as Page
    expect(second.body).toMatchObject({ pagination: { total: 6, next: null } })
    expect(new Set([...idsOf(first), ...idsOf(second)]).size).toBe(6)
    // The filter does not reach other tenants.
    const other = { tenantId: newId(), clientId: 'demo-spa' }
    const outside = await owner.call('GET', `${path}&${new URLSearchParams(other)}`)
    expect(idsOf(outside as Page)).toEqual([first.body.entries[0]?.id])
  })
})

test('entries with the same timestamp are in the order of recording', async () => {
  const { ctx } = service
  const now = ctx.now()
  const actor = newId()
  for (let turn = 1; turn <= 50; turn++) {
    await recordAuditEvent({ ...ctx, now: () => now }, ctx.db, {
      action: 'session.others_ended',
      actor: { kind: 'client', id: actor },
      details: { count: turn },
    })
  }
  const { entries } = (await read({ actorId: actor, order: 'asc', limit: 100 })).body
  expect(entries.map(({ details }) => details.count)).toEqual(Array.from({ length: 50 }, (_, turn) => turn + 1))
})
