import { beforeAll, describe, expect, test } from 'vitest'
import { call, errorBody, expectForbidden, newForbiddenCallers } from '../support/calls.ts'
import {
  type AuditEntry,
  acceptInvitation,
  inviteNewAddress,
  newAccountFields,
  readAudit,
  revokeInvitation,
} from '../support/invitations.ts'
import { newMember, newOwnedTenant } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant('Diary')
const { headers } = owner
const admin = await newMember(headers, tenant.id, 'admin')
const member = await newMember(headers, tenant.id)
const path = `/api/tenants/${tenant.id}`
const read = (query = '') => readAudit(headers, tenant.id, query)

// Events to search for.
for (const theme of ['dark', 'light']) await call('PATCH', path, { headers, body: { settings: { theme } } })
for (let round = 0; round < 6; round++) {
  const { id, token } = await inviteNewAddress(round % 2 ? headers : admin.headers, tenant.id)
  if (round % 3) await acceptInvitation(token, newAccountFields())
  else await revokeInvitation(headers, tenant.id, id)
}

describe('the audit log', () => {
  let all: AuditEntry[]
  beforeAll(async () => {
    all = (await read('?limit=100')).entries
  })
  const idsOf = (entries: AuditEntry[]) => entries.map(({ id }) => id)
  const search = async (fields: Record<string, string>) =>
    idsOf((await read(`?${new URLSearchParams({ ...fields, limit: '100' })}`)).entries)

  test('has the newest first', () => {
    expect(idsOf(all)).toEqual(idsOf(all).toSorted().toReversed())
  })

  test('can be filtered by action, and by group of actions', async () => {
    const kinds = ['member.joined', 'invitation.created', 'tenant.changed']
    for (const action of kinds) {
      const expected = idsOf(all.filter((one) => one.action === action))
      expect(expected.length).toBeGreaterThan(0)
      expect(await search({ action })).toEqual(expected)
    }
    for (const group of ['member', 'invitation', 'tenant']) {
      const expected = idsOf(all.filter(({ action }) => action.startsWith(`${group}.`)))
      expect(expected.length).toBeGreaterThan(0)
      expect(await search({ action: group })).toEqual(expected)
    }
    for (const action of ['mem', 'member.nothing', 'm_mber', 'user']) expect(await search({ action })).toEqual([])
  })

  test('can be filtered by actor and by affected user', async () => {
    const byMember = idsOf(all.filter(({ actor }) => actor.id === member.userId))
    expect(byMember).toHaveLength(2)
    expect(await search({ actorId: member.userId })).toEqual(byMember)
    const toMember = idsOf(all.filter(({ userId }) => userId === member.userId))
    expect(toMember).toHaveLength(2)
    expect(await search({ userId: member.userId })).toEqual(toMember)
    const both = { actorId: member.userId, userId: member.userId, action: 'invitation.accepted' }
    expect(await search(both)).toHaveLength(1)
    expect(await search({ actorId: 'nobody' })).toEqual([])
    expect(await search({ userId: '018f0000-0000-7000-8000-000000000000' })).toEqual([])
  })

  test('can be filtered by time: from inclusive, to exclusive', async () => {
    const moment = all[3]?.occurredAt ?? ''
    const since = idsOf(all.filter(({ occurredAt }) => occurredAt >= moment))
    expect(await search({ from: moment })).toEqual(since)
    const until = idsOf(all.filter(({ occurredAt }) => occurredAt < moment))
    expect(await search({ to: moment })).toEqual(until)
    expect(since.length + until.length).toBe(all.length)
    expect(await search({ from: moment, to: moment })).toEqual([])
    const shifted = moment.replace('Z', '+00:00')
    expect(await search({ from: shifted })).toEqual(since)
  })

  test('is paged, with each entry on one page', async () => {
    const first = await read()
    expect(first.pagination).toMatchObject({ page: 1, limit: 20, total: all.length })
    const pages = Math.ceil(all.length / 7)
    const found: string[] = []
    for (let page = 1; page <= pages; page++) {
      const { entries, pagination } = await read(`?limit=7&page=${page}`)
      const next = page < pages ? entries.at(-1)?.id : null
      expect(pagination).toEqual({ page, limit: 7, total: all.length, pages, totalIsExact: true, next })
      found.push(...idsOf(entries))
    }
    expect(found).toEqual(idsOf(all))
    expect((await read('?page=1000')).entries).toEqual([])
    expect((await read('?limit=1000')).pagination.limit).toBe(100)
  })

  test.each([
    ...['page=0', 'page=-1', 'page=x', 'limit=0', 'limit=-5', 'limit=x', 'limit=1.5'],
    ...['action=', 'action=Member', 'action=%25', 'action=member.', 'action=a.b.c', 'userId=1', 'userId='],
    ...['from=yesterday', 'from=2026-01-01', 'to=1', 'to=2026-13-01T00:00:00Z', 'from='],
    // A leap second that does not exist.
    'from=2026-12-31T23:59:60Z',
  ])('%s is refused', async (query) => {
    const { status, body } = await call('GET', `${path}/audit?${query}`, { headers })
    expect(status).toBe(422)
    const details = [{ field: query.split('=')[0], message: expect.any(String) }]
    expect(body).toEqual(errorBody(422, 'VALIDATION_FAILED', { details }))
  })

  test('is readable for admins and owners only', async () => {
    expect((await readAudit(admin.headers, tenant.id)).pagination.total).toBe(all.length)
    const outsider = await newOwnedTenant()
    for (const who of [member, outsider.owner]) {
      for (const query of ['', '?page=0']) {
        const { status, body } = await call('GET', `${path}/audit${query}`, { headers: who.headers })
        expect(status).toBe(403)
        expect(body).toEqual(errorBody(403, 'FORBIDDEN'))
      }
    }
    await expectForbidden(await newForbiddenCallers(owner.person), { method: 'GET', path: `${path}/audit` })
  })

  test('contains nothing of other tenants', async () => {
    const other = await newOwnedTenant()
    const { entries } = await readAudit(other.owner.headers, other.tenant.id)
    expect(entries.map(({ action }) => action)).toEqual(['tenant.created'])
    expect(await readAudit(other.owner.headers, other.tenant.id, `?userId=${member.userId}`)).toMatchObject({
      entries: [],
      pagination: { total: 0, pages: 0 },
    })
  })
})
