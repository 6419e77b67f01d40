import { describe, expect, test } from 'vitest'
import { call, errorBody } from '../support/calls.ts'
import { unique } from '../support/service.ts'
import {
  type Caller,
  invite,
  listMembers,
  type Member,
  newMember,
  newOwnedTenant,
  type Role,
  type Tenant,
  waitForInvitationToken,
} from '../support/tenants.ts'

type Target = Pick<Member, 'membershipId'>

const REMOVED = { success: true, message: 'Member removed' }

const pathOf = ({ id }: Tenant, { membershipId }: Target) => `/api/tenants/${id}/members/${membershipId}`
const change = (by: Caller, tenant: Tenant, { target, body }: { target: Target; body: object }) =>
  call('PATCH', pathOf(tenant, target), { headers: by.headers, body })
const remove = (by: Caller, tenant: Tenant, target: Target) => call('DELETE', pathOf(tenant, target), by)

describe('removing a member', () => {
  test.each<[by: Role, target: Role]>([
    ['owner', 'owner'],
    ['owner', 'admin'],
    ['owner', 'member'],
    ['admin', 'admin'],
    ['admin', 'member'],
  ])('an %s can remove an %s', async (role, targetRole) => {
    const { tenant, owner } = await newOwnedTenant()
    const by = role === 'owner' ? owner : await newMember(owner.headers, tenant.id, role)
    const target = await newMember(owner.headers, tenant.id, targetRole)
    const { status, body } = await remove(by, tenant, target)
    expect(status).toBe(200)
    expect(body).toEqual(REMOVED)
    const { members } = await listMembers(owner.headers, tenant.id)
    expect(members.map(({ id }) => id)).not.toContain(target.membershipId)
    const own = await call('GET', `/api/tenants/${tenant.id}`, target)
    expect(own).toMatchObject({ status: 403, body: { error: 'FORBIDDEN' } })
    const profile = await call('GET', '/api/users/me', target)
    expect(profile.body.memberships).toEqual([])
    const again = await remove(by, tenant, target)
    expect(again.status).toBe(404)
    expect(again.body).toEqual(errorBody(404, 'MEMBER_NOT_FOUND'))
  })

  test('works for a suspended member', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const target = await newMember(owner.headers, tenant.id)
    await change(owner, tenant, { target, body: { status: 'SUSPENDED' } })
    expect((await remove(owner, tenant, target)).body).toEqual(REMOVED)
    expect((await listMembers(owner.headers, tenant.id)).pagination.total).toBe(1)
  })
})

describe('leaving', () => {
  test.each<Role>(['owner', 'admin', 'member'])('is allowed for an %s', async (role) => {
    const { tenant, owner } = await newOwnedTenant()
    const leaver = await newMember(owner.headers, tenant.id, role)
    const { status, body } = await remove(leaver, tenant, leaver)
    expect(status).toBe(200)
    expect(body).toEqual(REMOVED)
    expect((await listMembers(owner.headers, tenant.id)).pagination.total).toBe(1)
    // They are no longer a member, so every membership is unknown to them.
    const again = await remove(leaver, tenant, leaver)
    expect(again.status).toBe(403)
    expect(again.body).toEqual(errorBody(403, 'FORBIDDEN'))
  })

  test('is refused for a suspended member', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const target = await newMember(owner.headers, tenant.id)
    await change(owner, tenant, { target, body: { status: 'SUSPENDED' } })
    expect(await remove(target, tenant, target)).toMatchObject({ status: 403 })
    expect((await listMembers(owner.headers, tenant.id)).pagination.total).toBe(2)
  })
})

describe('the last owner', () => {
  const CHANGES: [string, (by: Caller, tenant: Tenant, target: Target) => ReturnType<typeof call>][] = [
    ['made an admin', (by, tenant, target) => change(by, tenant, { target, body: { role: 'admin' } })],
    ['made a member', (by, tenant, target) => change(by, tenant, { target, body: { role: 'member' } })],
    ['suspended', (by, tenant, target) => change(by, tenant, { target, body: { status: 'SUSPENDED' } })],
    [
      'made a suspended owner',
      (by, tenant, target) => change(by, tenant, { target, body: { role: 'owner', status: 'SUSPENDED' } }),
    ],
    ['removed', remove],
  ]

  async function expectLastOwner(
    { tenant, owner }: { tenant: Tenant; owner: Member },
    end: (typeof CHANGES)[number][1],
  ) {
    const before = await listMembers(owner.headers, tenant.id)
    const { status, body } = await end(owner, tenant, owner)
    expect(status).toBe(409)
    expect(body).toEqual(errorBody(409, 'LAST_OWNER'))
    expect(await listMembers(owner.headers, tenant.id)).toEqual(before)
  }

  test.each(CHANGES)('cannot be %s, even with other members', async (_, end) => {
    const own = await newOwnedTenant()
    await newMember(own.owner.headers, own.tenant.id, 'admin')
    await expectLastOwner(own, end)
  })

  test.each(CHANGES)('cannot be %s if the other owner is suspended', async (_, end) => {
    const own = await newOwnedTenant()
    const target = await newMember(own.owner.headers, own.tenant.id, 'owner')
    await change(own.owner, own.tenant, { target, body: { status: 'SUSPENDED' } })
    await expectLastOwner(own, end)
  })

  test.each(CHANGES)('cannot be %s if the other owner is only invited', async (_, end) => {
    const own = await newOwnedTenant()
    const email = `${unique('someone')}@blackbox.test`
    await invite(own.owner.headers, own.tenant.id, { email, role: 'owner' })
    await expectLastOwner(own, end)
  })

  test('can make another member owner and then step down', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const heir = await newMember(owner.headers, tenant.id)
    await change(owner, tenant, { target: heir, body: { role: 'owner' } })
    const stepped = await change(owner, tenant, { target: owner, body: { role: 'member' } })
    expect(stepped).toMatchObject({ status: 200, body: { role: 'member' } })
    // Now the new owner is the last one, and the founder has no permissions.
    expect(await change(owner, tenant, { target: heir, body: { role: 'member' } })).toMatchObject({
      status: 403,
    })
    await expectLastOwner({ tenant, owner: heir }, remove)
  })

  test('can leave if there is another owner, who is then the last one', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const other = await newMember(owner.headers, tenant.id, 'owner')
    expect((await remove(owner, tenant, owner)).body).toEqual(REMOVED)
    await expectLastOwner({ tenant, owner: other }, remove)
  })
})

describe('an INVITED member', () => {
  async function newInvited(role: Role = 'member') {
    const { tenant, owner } = await newOwnedTenant()
    const email = `${unique('someone')}@blackbox.test`
    const invitationId = await invite(owner.headers, tenant.id, { email, role })
    const { members } = await listMembers(owner.headers, tenant.id, '?status=INVITED')
    const target = { membershipId: members[0]?.id ?? '' }
    return { tenant, owner, target, invitationId, token: await waitForInvitationToken(email) }
  }

  test.each(['ACTIVE', 'SUSPENDED'])('cannot be set to %s', async (status) => {
    const { tenant, owner, target } = await newInvited()
    for (const body of [{ status }, { status, role: 'admin' }]) {
      const response = await change(owner, tenant, { target, body })
      expect(response.status).toBe(409)
      expect(response.body).toEqual(errorBody(409, 'INVITATION_PENDING'))
    }
    const { members } = await listMembers(owner.headers, tenant.id, '?status=INVITED')
    expect(members).toMatchObject([{ id: target.membershipId, role: 'member' }])
  })

  test('can get another role, which the invitation then has', async () => {
    const { tenant, owner, target, token } = await newInvited()
    const response = await change(owner, tenant, { target, body: { role: 'admin' } })
    expect(response).toMatchObject({ status: 200, body: { status: 'INVITED', role: 'admin' } })
    expect((await call('GET', `/api/invitations/${token}`)).body).toMatchObject({ role: 'admin' })
    const listed = await call('GET', `/api/tenants/${tenant.id}/invitations`, owner)
    expect(listed.body).toMatchObject({ invitations: [{ role: 'admin' }] })
  })

  test('with the owner role cannot be changed by an admin', async () => {
    const { tenant, owner, target } = await newInvited('owner')
    const admin = await newMember(owner.headers, tenant.id, 'admin')
    expect(await change(admin, tenant, { target, body: { role: 'member' } })).toMatchObject({ status: 403 })
    expect(await remove(admin, tenant, target)).toMatchObject({ status: 403 })
  })

  test('can be removed, which invalidates the mailed link', async () => {
    const { tenant, owner, target, token } = await newInvited()
    expect((await remove(owner, tenant, target)).body).toEqual(REMOVED)
    const shown = await call('GET', `/api/invitations/${token}`)
    expect(shown.status).toBe(410)
    expect(shown.body).toEqual(errorBody(410, 'INVITATION_REVOKED'))
    const body = { password: unique('a long enough secret'), givenName: 'Sam', familyName: 'Someone' }
    expect((await call('POST', `/api/invitations/${token}/accept`, { body })).status).toBe(410)
    const listed = await call('GET', `/api/tenants/${tenant.id}/invitations?status=REVOKED`, owner)
    expect(listed.body).toMatchObject({ invitations: [{ status: 'REVOKED' }] })
    expect((await listMembers(owner.headers, tenant.id)).pagination.total).toBe(1)
  })
})
