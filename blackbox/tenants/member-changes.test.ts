import { describe, expect, test } from 'vitest'
import { call, errorBody } from '../support/calls.ts'
import { TIMESTAMP } from '../support/sign-in.ts'
import { type Caller, listMembers, type Member, newMember, newOwnedTenant } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant()
const coOwner = await newMember(owner.headers, tenant.id, 'owner')
const admin = await newMember(owner.headers, tenant.id, 'admin')
const otherAdmin = await newMember(owner.headers, tenant.id, 'admin')
const member = await newMember(owner.headers, tenant.id, 'member')
const otherMember = await newMember(owner.headers, tenant.id, 'member')
const people = { owner, coOwner, admin, otherAdmin, member, otherMember }
type Name = keyof typeof people

const pathOf = ({ membershipId }: Pick<Member, 'membershipId'>) => `/api/tenants/${tenant.id}/members/${membershipId}`
const change = (by: Caller, target: Pick<Member, 'membershipId'>, body: unknown) =>
  call('PATCH', pathOf(target), { headers: by.headers, body })
const remove = (by: Caller, target: Pick<Member, 'membershipId'>) => call('DELETE', pathOf(target), by)
const list = () => listMembers(owner.headers, tenant.id)
const find = async ({ membershipId }: Pick<Member, 'membershipId'>) =>
  (await list()).members.find(({ id }) => id === membershipId)

describe('a change of a member', () => {
  test('returns the changed member, as the list does', async () => {
    const { membershipId: id, userId } = otherMember
    const before = await find(otherMember)
    const { status, body } = await change(owner, otherMember, { role: 'admin', status: 'SUSPENDED' })
    expect(status).toBe(200)
    const updatedAt = expect.stringMatching(TIMESTAMP)
    expect(body).toEqual({ id, userId, status: 'SUSPENDED', role: 'admin', updatedAt })
    expect(await find(otherMember)).toEqual({ ...before, status: 'SUSPENDED', role: 'admin' })
    const back = await change(owner, otherMember, { role: 'member', status: 'ACTIVE' })
    expect(back.body).toEqual({ id, userId, status: 'ACTIVE', role: 'member', updatedAt })
    expect(Date.parse(String(back.body.updatedAt))).toBeGreaterThan(Date.parse(String(body.updatedAt)))
    expect(await find(otherMember)).toEqual(before)
  })

  test('to the same values has no effect', async () => {
    const first = await change(owner, member, { role: 'member' })
    const second = await change(owner, member, { role: 'member', status: 'ACTIVE' })
    expect(first.status).toBe(200)
    expect(second.body).toEqual(first.body)
  })

  test('changes only role and status', async () => {
    const before = await list()
    const ignoredFields = {
      id: admin.membershipId,
      userId: admin.userId,
      tenantId: '0197a000-0000-7000-8000-000000000001',
      joinedAt: '2001-01-01T00:00:00.000Z',
      user: { email: 'thief@blackbox.test', displayName: 'Thief' },
      email: 'thief@blackbox.test',
    }
    expect((await change(owner, member, { role: 'member', ...ignoredFields })).status).toBe(200)
    expect(await list()).toEqual(before)
  })

  test.each([
    ['body', {}],
    ['body', { displayName: 'Nobody', joinedAt: null }],
    ['role', { role: 'root' }],
    ['role', { role: 'Owner' }],
    ['role', { role: '' }],
    ['role', { role: null }],
    ['role', { role: ['admin'] }],
    ['role', { role: 1, status: 'ACTIVE' }],
    ['status', { status: 'INVITED' }],
    ['status', { status: 'active' }],
    ['status', { status: 'DELETED' }],
    ['status', { status: null }],
    ['status', { status: false, role: 'admin' }],
  ])('is refused for its %s: %j', async (field, body) => {
    const before = await list()
    const response = await change(owner, member, body)
    expect(response.status).toBe(422)
    expect(response.body).toEqual(
      errorBody(422, 'VALIDATION_FAILED', { details: [{ field, message: expect.any(String) }] }),
    )
    expect(await list()).toEqual(before)
  })
})

describe('forbidden to change or remove', () => {
  const PROMOTE = { role: 'owner' }
  const CASES: [by: Name, target: Name, body: object][] = [
    // An admin cannot change owners or create one, including themselves.
    ['admin', 'owner', { role: 'admin' }],
    ['admin', 'owner', { role: 'owner' }],
    ['admin', 'coOwner', { status: 'SUSPENDED' }],
    ['admin', 'coOwner', { role: 'member', status: 'SUSPENDED' }],
    ['admin', 'member', PROMOTE],
    ['admin', 'otherAdmin', PROMOTE],
    ['admin', 'admin', PROMOTE],
    ['admin', 'admin', { role: 'owner', status: 'ACTIVE' }],
    // A member cannot change anyone.
    ['member', 'owner', { role: 'member' }],
    ['member', 'admin', { status: 'SUSPENDED' }],
    ['member', 'otherMember', { role: 'member' }],
    ['member', 'otherMember', { status: 'SUSPENDED' }],
    ['member', 'member', PROMOTE],
    ['member', 'member', { role: 'admin' }],
    ['member', 'member', { status: 'ACTIVE' }],
    ['member', 'member', { role: 'root' }],
  ]

  test.each(CASES)('for %s: %s, to %j', async (by, target, body) => {
    const before = await list()
    const response = await change(people[by], people[target], body)
    expect(response.status).toBe(403)
    expect(response.body).toEqual(errorBody(403, 'FORBIDDEN'))
    expect(await list()).toEqual(before)
  })

  test.each<[by: Name, target: Name]>([
    ['admin', 'owner'],
    ['admin', 'coOwner'],
    ['member', 'owner'],
    ['member', 'admin'],
    ['member', 'otherMember'],
  ])('for %s: removing %s', async (by, target) => {
    const before = await list()
    const response = await remove(people[by], people[target])
    expect(response.status).toBe(403)
    expect(response.body).toEqual(errorBody(403, 'FORBIDDEN'))
    expect(await list()).toEqual(before)
  })
})

describe('allowed to change', () => {
  test.each<[by: Name, target: Name, body: { role: string } | { status: string }, back: object]>([
    ['owner', 'member', { role: 'admin' }, { role: 'member' }],
    ['owner', 'member', { role: 'owner' }, { role: 'member' }],
    ['owner', 'admin', { role: 'owner' }, { role: 'admin' }],
    ['owner', 'admin', { status: 'SUSPENDED' }, { status: 'ACTIVE' }],
    ['owner', 'coOwner', { role: 'member' }, { role: 'owner' }],
    ['owner', 'coOwner', { status: 'SUSPENDED' }, { status: 'ACTIVE' }],
    ['coOwner', 'owner', { role: 'admin' }, { role: 'owner' }],
    ['admin', 'member', { role: 'admin' }, { role: 'member' }],
    ['admin', 'member', { status: 'SUSPENDED' }, { status: 'ACTIVE' }],
    ['admin', 'otherAdmin', { role: 'member' }, { role: 'admin' }],
    ['admin', 'otherAdmin', { status: 'SUSPENDED' }, { status: 'ACTIVE' }],
  ])('for %s: %s, to %j and back to %j', async (by, target, body, back) => {
    const before = await find(people[target])
    expect(await change(people[by], people[target], body)).toMatchObject({ status: 200, body })
    expect(await find(people[target])).toEqual({ ...before, ...body })
    // An owner who stepped down cannot undo it.
    const lifter = target === 'owner' ? coOwner : owner
    expect(await change(lifter, people[target], back)).toMatchObject({ status: 200, body: back })
    expect(await find(people[target])).toEqual(before)
  })

  test('for an admin: themselves, to member, and then nothing more', async () => {
    const stepping = await newMember(owner.headers, tenant.id, 'admin')
    expect(await change(stepping, stepping, { role: 'member' })).toMatchObject({ status: 200 })
    expect(await change(stepping, stepping, { role: 'admin' })).toMatchObject({ status: 403 })
    expect((await remove(owner, stepping)).status).toBe(200)
  })
})
