import { describe, expect, test } from 'vitest'
import { call, errorBody } from '../support/calls.ts'
import { unique } from '../support/service.ts'
import { TIMESTAMP, UUID } from '../support/sign-in.ts'
import {
  invite,
  type ListedMember,
  listMembers,
  type MemberPage,
  newMember,
  newOwnedTenant,
} from '../support/tenants.ts'

// Two owners, two admins and two members, some of them suspended, and three INVITED members.
const { tenant, owner } = await newOwnedTenant()
const PATH = `/api/tenants/${tenant.id}/members`
const coOwner = await newMember(owner.headers, tenant.id, 'owner')
const admin = await newMember(owner.headers, tenant.id, 'admin')
const suspendedAdmin = await newMember(owner.headers, tenant.id, 'admin')
const member = await newMember(owner.headers, tenant.id, 'member')
const suspendedMember = await newMember(owner.headers, tenant.id)
for (const { membershipId } of [suspendedAdmin, suspendedMember]) {
  await call('PATCH', `${PATH}/${membershipId}`, { headers: owner.headers, body: { status: 'SUSPENDED' } })
}
const invited = [1, 2, 3].map(() => `${unique('someone')}@blackbox.test`)
for (const email of invited) {
  await invite(owner.headers, tenant.id, { email, ...(email === invited[2] ? { role: 'admin' } : {}) })
}

const list = (query = '') => listMembers(owner.headers, tenant.id, query)
const emails = ({ members }: MemberPage) => members.map(({ user }) => user.email)
const JOINED = [owner, coOwner, admin, suspendedAdmin, member, suspendedMember].map(({ person }) => person.email)

describe('the member list', () => {
  test('contains all members in the order of joining, and INVITED members last', async () => {
    const page = await list()
    expect(page.pagination).toEqual({ page: 1, limit: 20, total: 9, pages: 1 })
    expect(emails(page).slice(0, 6)).toEqual(JOINED)
    expect(emails(page).slice(6).sort()).toEqual([...invited].sort())
    const moments = page.members.slice(0, 6).map(({ joinedAt }) => Date.parse(joinedAt ?? ''))
    expect(moments).toEqual([...moments].sort((a, b) => a - b))
  })

  test('contains the documented fields only', async () => {
    const { members } = await list()
    const byEmail = new Map(members.map((entry) => [entry.user.email, entry]))
    expect(byEmail.get(suspendedAdmin.person.email)).toEqual({
      id: suspendedAdmin.membershipId,
      userId: suspendedAdmin.userId,
      status: 'SUSPENDED',
      role: 'admin',
      joinedAt: expect.stringMatching(TIMESTAMP),
      user: { email: suspendedAdmin.person.email, displayName: 'Sam Someone', pictureUrl: null },
    })
    const [email = ''] = invited
    expect(byEmail.get(email)).toEqual({
      id: expect.stringMatching(UUID),
      userId: expect.stringMatching(UUID),
      status: 'INVITED',
      role: 'member',
      joinedAt: null,
      user: { email, displayName: email.split('@')[0], pictureUrl: null },
    })
  })

  test('is the same for an owner, an admin and a member', async () => {
    const page = await list()
    for (const { headers } of [admin, member]) expect(await listMembers(headers, tenant.id)).toEqual(page)
  })

  test('contains the current picture and name of a member', async () => {
    const own = await newOwnedTenant()
    const changes = { displayName: 'Chosen Name', pictureUrl: 'https://blackbox.test/me.png' }
    await call('PATCH', '/api/users/me', { headers: own.owner.headers, body: changes })
    const { members } = await listMembers(own.owner.headers, own.tenant.id)
    expect(members[0]?.user).toEqual({ email: own.owner.person.email, ...changes })
  })

  test('reveals nothing about the account of an INVITED member', async () => {
    const own = await newOwnedTenant()
    const { person } = member
    await call('PATCH', '/api/users/me', {
      headers: member.headers,
      body: { nickname: 'Secret', pictureUrl: 'https://blackbox.test/secret.png' },
    })
    await invite(own.owner.headers, own.tenant.id, { email: person.email })
    const { members } = await listMembers(own.owner.headers, own.tenant.id, '?status=INVITED')
    expect(members.map(({ user }) => user)).toEqual([
      { email: person.email, displayName: person.email.split('@')[0], pictureUrl: null },
    ])
  })
})

describe('a filter of the list', () => {
  const by = (test: (entry: ListedMember) => boolean) => async () => (await list('?limit=100')).members.filter(test)

  test.each([
    ['status=ACTIVE', 4, by(({ status }) => status === 'ACTIVE')],
    ['status=INVITED', 3, by(({ status }) => status === 'INVITED')],
    ['status=SUSPENDED', 2, by(({ status }) => status === 'SUSPENDED')],
    ['role=owner', 2, by(({ role }) => role === 'owner')],
    ['role=admin', 3, by(({ role }) => role === 'admin')],
    ['role=member', 4, by(({ role }) => role === 'member')],
    ['status=SUSPENDED&role=admin', 1, by(({ status, role }) => status === 'SUSPENDED' && role === 'admin')],
    ['status=INVITED&role=member', 2, by(({ status, role }) => status === 'INVITED' && role === 'member')],
    ['status=INVITED&role=owner', 0, by(() => false)],
  ])('%s returns %d, and counts only those', async (query, total, expected) => {
    const page = await list(`?${query}`)
    expect(page).toEqual({
      members: await expected(),
      pagination: { page: 1, limit: 20, total, pages: Math.ceil(total / 20) },
    })
    expect(page.members).toHaveLength(total)
  })

  test.each([
    'status=active',
    'status=DELETED',
    'status=',
    'status=ACTIVE,INVITED',
    'status=ACTIVE&status=INVITED',
    "status='%20or%201=1",
    'role=root',
    'role=Owner',
    'role=',
    'role=owner&role=admin',
  ])('%s is invalid', async (query) => {
    const { status, body } = await call('GET', `${PATH}?${query}`, owner)
    expect(status).toBe(422)
    const [field] = query.split('=')
    expect(body).toEqual(errorBody(422, 'VALIDATION_FAILED', { details: [{ field, message: expect.any(String) }] }))
  })

  test.each(['status=%00', 'role=%ff', 'page=%00'])('%s is not valid text', async (query) => {
    const { status, body } = await call('GET', `${PATH}?${query}`, owner)
    expect(status).toBe(400)
    expect(body).toEqual(errorBody(400, 'INVALID_REQUEST'))
  })

  test('with an unknown name is ignored', async () => {
    expect(await list('?status[]=ACTIVE&email=x&order=role&tenantId=1')).toEqual(await list())
  })
})

describe('the pages of the list', () => {
  test.each([1, 2, 4, 5, 9, 10, 100])('of %d contain each member once, in one order', async (limit) => {
    const whole = await list('?limit=100')
    const pages = Math.ceil(9 / limit)
    const gathered: ListedMember[] = []
    for (let page = 1; page <= pages; page++) {
      const part = await list(`?page=${page}&limit=${limit}`)
      expect(part.pagination).toEqual({ page, limit, total: 9, pages })
      expect(part.members).toHaveLength(Math.min(limit, 9 - gathered.length))
      gathered.push(...part.members)
    }
    expect(gathered).toEqual(whole.members)
    expect(new Set(gathered.map(({ id }) => id)).size).toBe(9)
  })

  test('apply the filter', async () => {
    const [first, second] = [await list('?role=admin&limit=2&page=1'), await list('?role=admin&limit=2&page=2')]
    expect(first.pagination).toEqual({ page: 1, limit: 2, total: 3, pages: 2 })
    expect(second.pagination).toEqual({ page: 2, limit: 2, total: 3, pages: 2 })
    expect(emails(first)).toEqual([admin.person.email, suspendedAdmin.person.email])
    expect(emails(second)).toEqual([invited[2]])
  })

  test.each(['page=2', 'page=1000', 'page=10&limit=1'])('after the last are empty: %s', async (query) => {
    const { members, pagination } = await list(`?${query}`)
    expect(members).toEqual([])
    expect(pagination.total).toBe(9)
  })

  test.each(['101', '1000', '999999999', '9007199254740993'])(
    'have at most 100 entries for limit=%s',
    async (limit) => {
      const { members, pagination } = await list(`?limit=${limit}`)
      expect(members).toHaveLength(9)
      expect(pagination).toEqual({ page: 1, limit: 100, total: 9, pages: 1 })
    },
  )

  test.each([
    ...['0', '-1', '1.5', 'abc', '', 'NaN', 'Infinity', '1e1000', '1;', "1'", 'null', '1&%s=2'],
    ...['0x10', '0b1', '0o1', '1e1', '1.0', '1.', '+1', '%2B1', '%201', '1%20', '1%0a', '01', 'true'],
  ])('with the number %j are refused (T124)', async (number) => {
    for (const field of ['page', 'limit']) {
      const query = `${field}=${number.replace('%s', field)}`
      const { status, body } = await call('GET', `${PATH}?${query}`, owner)
      expect(status, query).toBe(422)
      expect(body, query).toEqual(
        errorBody(422, 'VALIDATION_FAILED', { details: [{ field, message: expect.any(String) }] }),
      )
    }
  })

  test('with a huge number do not cause an error', async () => {
    for (const page of ['1000000', '9007199254740993', '99999999999999999999999']) {
      const { status } = await call('GET', `${PATH}?page=${page}`, owner)
      expect([200, 422], page).toContain(status)
    }
  })
})
