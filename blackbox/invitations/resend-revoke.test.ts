import { describe, expect, test } from 'vitest'
import { call, errorBody, expectForbidden, newForbiddenCallers } from '../support/calls.ts'
import {
  acceptInvitation,
  getInvitation,
  invitationsPath,
  inviteNewAddress,
  listInvitationMails,
  listInvitations,
  newAccountFields,
  requestInvitation,
  resendInvitation,
  revokeInvitation,
} from '../support/invitations.ts'
import { listMembers, newMember, newOwnedTenant, waitForInvitationToken } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant()
const admin = await newMember(owner.headers, tenant.id, 'admin')
const member = await newMember(owner.headers, tenant.id)
const otherTenant = await newOwnedTenant()
const again = (id: string, headers = owner.headers) => resendInvitation(headers, tenant.id, id)
const take = (id: string, headers = owner.headers) => revokeInvitation(headers, tenant.id, id)
const newInvitation = (fields: object = {}) => inviteNewAddress(owner.headers, tenant.id, fields)
const isListed = async (id: string) => (await listInvitations(owner.headers, tenant.id)).some((one) => one.id === id)

const NOT_PENDING = errorBody(409, 'INVITATION_NOT_PENDING')
const NOT_FOUND = errorBody(404, 'INVITATION_NOT_FOUND')

describe('resending an invitation', () => {
  test('sends exactly one mail, whose link replaces the old one', async () => {
    const { id, email, token } = await newInvitation()
    const { status, body } = await again(id)
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: 'Invitation resent' })
    expect(await listInvitationMails(email)).toHaveLength(2)
    const fresh = await waitForInvitationToken(email)
    expect(fresh).not.toBe(token)
    for (const response of [await getInvitation(token), await acceptInvitation(token, newAccountFields())]) {
      expect(response.status).toBe(404)
      expect(response.body).toEqual(NOT_FOUND)
    }
    expect((await acceptInvitation(fresh, newAccountFields())).status).toBe(200)
  })

  test('renews the expiry and changes nothing else', async () => {
    const { id, token } = await newInvitation({ expiresInDays: 2, role: 'admin' })
    const [before] = await listInvitations(owner.headers, tenant.id)
    const shown = await getInvitation(token)
    await again(id)
    const [after] = await listInvitations(owner.headers, tenant.id)
    expect(after).toEqual({ ...before, expiresAt: expect.any(String) })
    const gained = Date.parse(after?.expiresAt ?? '') - Date.parse(String(shown.body.expiresAt))
    expect(gained).toBeGreaterThan(0)
    expect(gained).toBeLessThan(60_000)
  })

  test('is limited: of twenty requests some are refused and send nothing', async () => {
    const { id, email } = await newInvitation()
    const responses = []
    for (let round = 0; round < 20; round++) responses.push(await again(id))
    const refused = responses.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, body, headers } of refused) {
      expect(status).toBe(429)
      expect(body).toEqual(errorBody(429, 'RATE_LIMITED'))
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(await listInvitationMails(email)).toHaveLength(1 + responses.length - refused.length)
    // The link of the last mail still works.
    expect((await getInvitation(await waitForInvitationToken(email))).status).toBe(200)
    // Other people, and other tenants that invite the same person, are not limited by it.
    expect((await again((await newInvitation()).id)).status).toBe(200)
    const theirs = await requestInvitation(otherTenant.owner.headers, otherTenant.tenant.id, { email })
    expect(theirs.status).toBe(201)
  })

  test('the limit also applies to revoking and inviting again', async () => {
    let { id, email } = await newInvitation()
    let refused: Awaited<ReturnType<typeof requestInvitation>> | undefined
    for (let round = 0; round < 20 && !refused; round++) {
      expect((await take(id)).status).toBe(200)
      const response = await requestInvitation(owner.headers, tenant.id, { email })
      if (response.status === 201) id = String(response.body.id)
      else refused = response
    }
    expect(refused?.body).toEqual(errorBody(429, 'RATE_LIMITED'))
    expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/)
  })
})

describe('revoking an invitation', () => {
  test('invalidates the link, removes the INVITED member, and sends no mail', async () => {
    const { id, email, token } = await newInvitation()
    const { status, body } = await take(id)
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: 'Invitation revoked' })
    for (const response of [await getInvitation(token), await acceptInvitation(token, newAccountFields())]) {
      expect(response.status).toBe(410)
      expect(response.body).toEqual(errorBody(410, 'INVITATION_REVOKED'))
    }
    expect(await isListed(id)).toBe(false)
    expect(await listInvitations(owner.headers, tenant.id, '?status=REVOKED')).toContainEqual(
      expect.objectContaining({ id, email, status: 'REVOKED' }),
    )
    const { members } = await listMembers(owner.headers, tenant.id, '?limit=100')
    expect(members.map(({ user }) => user.email)).not.toContain(email)
    expect(await listInvitationMails(email)).toHaveLength(1)
  })

  test('also happens when the INVITED member is removed', async () => {
    const { id, email, token } = await newInvitation()
    const { members } = await listMembers(owner.headers, tenant.id, '?status=INVITED&limit=100')
    const invited = members.find(({ user }) => user.email === email)
    const path = `/api/tenants/${tenant.id}/members/${invited?.id}`
    expect((await call('DELETE', path, { headers: admin.headers })).status).toBe(200)
    expect((await getInvitation(token)).body).toEqual(errorBody(410, 'INVITATION_REVOKED'))
    expect((await again(id)).body).toEqual(NOT_PENDING)
  })
})

describe('cannot be resent or revoked', () => {
  test('an accepted invitation', async () => {
    const { id, email, token } = await newInvitation()
    await acceptInvitation(token, newAccountFields())
    for (const response of [await again(id), await take(id)]) {
      expect(response.status).toBe(409)
      expect(response.body).toEqual(NOT_PENDING)
    }
    expect(await listInvitationMails(email)).toHaveLength(1)
    const { members } = await listMembers(owner.headers, tenant.id, '?status=ACTIVE&limit=100')
    expect(members.map(({ user }) => user.email)).toContain(email)
  })

  test('a revoked invitation', async () => {
    const { id, email } = await newInvitation()
    await take(id)
    for (const response of [await again(id), await take(id)]) {
      expect(response.status).toBe(409)
      expect(response.body).toEqual(NOT_PENDING)
    }
    expect(await listInvitationMails(email)).toHaveLength(1)
  })
})

describe('permissions to resend and revoke', () => {
  test('an admin may, but not for an invitation as owner', async () => {
    const ordinary = await newInvitation({ role: 'admin' })
    expect((await again(ordinary.id, admin.headers)).status).toBe(200)
    expect((await take(ordinary.id, admin.headers)).status).toBe(200)
    const { id, email, token } = await newInvitation({ role: 'owner' })
    for (const response of [await again(id, admin.headers), await take(id, admin.headers)]) {
      expect(response.status).toBe(403)
      expect(response.body).toEqual(errorBody(403, 'FORBIDDEN'))
    }
    // Nor through the INVITED member.
    const { members } = await listMembers(owner.headers, tenant.id, '?status=INVITED&limit=100')
    const path = `/api/tenants/${tenant.id}/members/${members.find(({ user }) => user.email === email)?.id}`
    const { headers } = admin
    for (const response of [
      await call('PATCH', path, { headers, body: { role: 'member' } }),
      await call('DELETE', path, { headers }),
    ]) {
      expect(response.body).toEqual(errorBody(403, 'FORBIDDEN'))
    }
    expect(await listInvitationMails(email)).toHaveLength(1)
    expect((await getInvitation(token)).body).toMatchObject({ role: 'owner' })
    expect((await again(id)).status).toBe(200)
    expect((await take(id)).status).toBe(200)
  })

  test('members, outsiders and machines are refused', async () => {
    const { id, email, token } = await newInvitation()
    for (const { headers } of [member, otherTenant.owner]) {
      for (const response of [await again(id, headers), await take(id, headers)]) {
        expect(response.status).toBe(403)
        expect(response.body).toEqual(errorBody(403, 'FORBIDDEN'))
      }
    }
    const forbiddenCallers = await newForbiddenCallers(member.person)
    const path = `${invitationsPath(tenant.id)}/${id}`
    await expectForbidden(forbiddenCallers, { method: 'POST', path: `${path}/resend` })
    await expectForbidden(forbiddenCallers, { method: 'DELETE', path })
    expect(await listInvitationMails(email)).toHaveLength(1)
    expect((await getInvitation(token)).status).toBe(200)
  })

  test('an invitation of another tenant is not found', async () => {
    const { id, token } = await newInvitation()
    const { headers } = otherTenant.owner
    for (const act of [resendInvitation, revokeInvitation]) {
      const response = await act(headers, otherTenant.tenant.id, id)
      expect(response.status).toBe(404)
      expect(response.body).toEqual(NOT_FOUND)
    }
    expect((await getInvitation(token)).status).toBe(200)
  })

  test.each([
    ['a number', '1'],
    ['null', 'null'],
    ['a quote', "'"],
    ['a long text', 'x'.repeat(2_000)],
    ['a path traversal', '..%2f'],
    ['an unknown id', '018f0000-0000-7000-8000-000000000000'],
  ])('%s is not found', async (_, id) => {
    for (const response of [await again(id), await take(id)]) {
      expect(response.status).toBe(404)
      expect(response.body).toEqual(NOT_FOUND)
    }
  })
})
