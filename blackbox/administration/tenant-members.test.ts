import { describe, expect, test } from 'vitest'
import { client } from '../support/account.ts'
import { callAdmin } from '../support/admin.ts'
import { asPerson, call, errorBody } from '../support/calls.ts'
import { newPerson } from '../support/person.ts'
import { unique } from '../support/service.ts'
import { TIMESTAMP, UUID } from '../support/sign-in.ts'
import { addMember, createTenant, getUserId, setSuspended } from '../support/tenant-administration.ts'
import {
  expectRevokedTokens,
  getTenantTokens,
  invite,
  listMembers,
  type MemberPage,
  newCaller,
  newMember,
  newOwnedTenant,
} from '../support/tenants.ts'

const membersOf = async (id: string, query = '') =>
  (await callAdmin<MemberPage>('GET', `/tenants/${id}/members${query}`)).body
const change = (id: string, userId: string, body: unknown) =>
  callAdmin('PATCH', `/tenants/${id}/members/${userId}`, body)
const remove = (id: string, userId: string) => callAdmin('DELETE', `/tenants/${id}/members/${userId}`)

test('the members are the same as in the member list of the tenant', async () => {
  const { tenant, owner } = await newOwnedTenant()
  await newMember(owner.headers, tenant.id, 'admin')
  await invite(owner.headers, tenant.id, { email: `${unique('guest')}@blackbox.test` })
  for (const query of ['', '?limit=1&page=2', '?role=admin', '?status=INVITED']) {
    expect(await membersOf(tenant.id, query)).toEqual(await listMembers(owner.headers, tenant.id, query))
  }
  expect((await callAdmin('GET', `/tenants/${tenant.id}/members?limit=0`)).status).toBe(422)
})

describe('a tenant without an owner', () => {
  test('can be given one, who then has the permissions of an owner', async () => {
    const { body: tenant } = await createTenant({ name: 'Orphaned', slug: unique('t') })
    const { headers } = await newCaller()
    const userId = await getUserId(headers)
    const { status, body } = await addMember(tenant.id, userId, 'owner')
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(UUID),
      userId,
      role: 'owner',
      status: 'ACTIVE',
      updatedAt: expect.stringMatching(TIMESTAMP),
    })
    const renamed = await call('PATCH', `/api/tenants/${tenant.id}`, { headers, body: { name: 'Mine' } })
    expect(renamed.status).toBe(200)
  })

  test('can be given one while it is suspended', async () => {
    const { body: tenant } = await createTenant({ name: 'Orphaned', slug: unique('t') })
    await setSuspended(tenant.id, true)
    const { headers } = await newCaller()
    const userId = await getUserId(headers)
    expect((await addMember(tenant.id, userId, 'member')).status).toBe(201)
    expect((await change(tenant.id, userId, { role: 'owner' })).status).toBe(200)
    expect((await membersOf(tenant.id)).members).toMatchObject([{ userId, role: 'owner' }])
    await setSuspended(tenant.id, false)
    expect((await call('GET', `/api/tenants/${tenant.id}`, { headers })).status).toBe(200)
  })
})

describe('adding a member', () => {
  test('is refused for members, invited users, unconfirmed accounts and unknown users', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const guest = await newCaller()
    await invite(owner.headers, tenant.id, { email: guest.person.email })
    const unproven = await newPerson()
    const add = async (userId: string) => (await addMember(tenant.id, userId, 'member')).body
    expect(await add(owner.userId)).toEqual(errorBody(409, 'ALREADY_MEMBER'))
    expect(await add(await getUserId(guest.headers))).toEqual(errorBody(409, 'INVITATION_PENDING'))
    const details = [{ field: 'userId', message: expect.stringContaining('not confirmed') }]
    expect(await add(await getUserId(await asPerson(unproven, client)))).toEqual(
      errorBody(422, 'VALIDATION_FAILED', { details }),
    )
    for (const unknownId of [crypto.randomUUID(), 'nobody']) {
      expect(await add(unknownId)).toEqual(errorBody(404, 'USER_NOT_FOUND'))
    }
    for (const body of [{}, { userId: owner.userId }, { userId: owner.userId, role: 'emperor' }]) {
      expect((await callAdmin('POST', `/tenants/${tenant.id}/members`, body)).status).toBe(422)
    }
  })
})

describe('changing and removing members', () => {
  test('follows the rules of the tenant, and keeps one owner', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const member = await newMember(owner.headers, tenant.id)
    const tokens = await getTenantTokens(member.person, tenant)
    const LAST = errorBody(409, 'LAST_OWNER')
    for (const body of [{ role: 'admin' }, { status: 'SUSPENDED' }]) {
      expect((await change(tenant.id, owner.userId, body)).body).toEqual(LAST)
    }
    expect((await remove(tenant.id, owner.userId)).body).toEqual(LAST)
    const promoted = await change(tenant.id, member.userId, { role: 'owner' })
    expect(promoted).toMatchObject({ status: 200, body: { userId: member.userId, role: 'owner' } })
    expect((await change(tenant.id, owner.userId, { role: 'member', status: 'SUSPENDED' })).status).toBe(200)
    expect((await change(tenant.id, owner.userId, { status: 'ACTIVE', role: 'owner' })).status).toBe(200)
    expect(await remove(tenant.id, member.userId)).toMatchObject({
      status: 200,
      body: { success: true, message: 'Member removed' },
    })
    await expectRevokedTokens(tokens, tenant.id)
  })

  test('an unknown member is 404', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const { owner: outsider } = await newOwnedTenant()
    const NONE = errorBody(404, 'MEMBER_NOT_FOUND')
    for (const userId of [crypto.randomUUID(), 'nobody', outsider.userId, owner.membershipId]) {
      expect((await change(tenant.id, userId, { role: 'admin' })).body).toEqual(NONE)
      expect((await remove(tenant.id, userId)).body).toEqual(NONE)
    }
    for (const body of [{}, { role: 'emperor' }, { status: 'INVITED' }]) {
      expect((await change(tenant.id, owner.userId, body)).status).toBe(422)
    }
  })

  test('an invited member can be revoked or get another role, but cannot be set to ACTIVE', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const email = `${unique('guest')}@blackbox.test`
    await invite(owner.headers, tenant.id, { email })
    const [guest] = (await membersOf(tenant.id, '?status=INVITED')).members
    const userId = guest?.userId ?? ''
    expect((await change(tenant.id, userId, { status: 'ACTIVE' })).body).toEqual(errorBody(409, 'INVITATION_PENDING'))
    expect((await change(tenant.id, userId, { role: 'admin' })).status).toBe(200)
    expect((await remove(tenant.id, userId)).status).toBe(200)
    const path = `/api/tenants/${tenant.id}/invitations?status=REVOKED`
    const { body } = await call('GET', path, { headers: owner.headers })
    expect(body.invitations).toMatchObject([{ email, role: 'admin' }])
  })
})
