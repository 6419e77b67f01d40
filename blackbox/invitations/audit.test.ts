import { describe, expect, test } from 'vitest'
import { call } from '../support/calls.ts'
import {
  type AuditEntry,
  acceptInvitation,
  inviteNewAddress,
  newAccountFields,
  readAudit,
  resendInvitation,
  revokeInvitation,
} from '../support/invitations.ts'
import { decodeToken } from '../support/jwt.ts'
import { TIMESTAMP, UUID } from '../support/sign-in.ts'
import { listMembers, newMember, newOwnedTenant, waitForInvitationToken } from '../support/tenants.ts'

const PROGRAM = 'blackbox-audit/1.0'
const { tenant, owner } = await newOwnedTenant('Diary')
const headers = { ...owner.headers, 'user-agent': PROGRAM }
const admin = await newMember(owner.headers, tenant.id, 'admin')
const member = await newMember(owner.headers, tenant.id)
const path = `/api/tenants/${tenant.id}`
const read = (query = '') => readAudit(owner.headers, tenant.id, query)

/** Calls `act` and returns the new entries, oldest first. Each has the id of the request. */
async function newEntries(act: () => Promise<{ status: number; headers: Headers }>) {
  const before = (await read()).entries[0]?.id
  const { status, headers: answered } = await act()
  const { entries } = await read('?limit=100')
  const fresh = entries.slice(
    0,
    entries.findIndex(({ id }) => id === before),
  )
  for (const { requestId } of fresh) expect(requestId).toBe(answered.get('x-request-id'))
  return { status, entries: fresh.reverse() }
}

/** The client that got the token. */
const clientOf = ({ authorization = '' }: Record<string, string>) =>
  String(decodeToken(authorization.replace('Bearer ', '')).payload.client_id)

const entry = (action: string, fields: Partial<AuditEntry>): AuditEntry => ({
  id: expect.stringMatching(UUID),
  occurredAt: expect.stringMatching(TIMESTAMP),
  action,
  actor: { kind: 'user', id: owner.userId, displayName: 'Sam Someone' },
  clientId: clientOf(owner.headers),
  tenantId: tenant.id,
  userId: null,
  email: null,
  ipAddress: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
  userAgent: PROGRAM,
  requestId: expect.any(String),
  details: {},
  ...fields,
})

const change = (membershipId: string, body: object, as = headers) =>
  call('PATCH', `${path}/members/${membershipId}`, { headers: as, body })
const remove = (membershipId: string, as = headers) =>
  call('DELETE', `${path}/members/${membershipId}`, { headers: as })

/** Invites a new person with the client that the log must name. */
async function inviteMember(fields: object = {}) {
  const invitation = await inviteNewAddress(headers, tenant.id, fields)
  const { members } = await listMembers(headers, tenant.id, '?status=INVITED&limit=100')
  const found = members.find(({ user }) => user.email === invitation.email)
  if (!found) throw new Error('the invited member was not found')
  return { ...invitation, membershipId: found.id, userId: found.userId }
}

describe('one entry is recorded', () => {
  test('when a tenant is created', async () => {
    const { entries } = await read('?action=tenant.created')
    const after = { name: 'Diary', slug: tenant.slug, mfaPolicy: 'OPTIONAL' }
    expect(entries).toEqual([entry('tenant.created', { userAgent: expect.any(String), details: { after } })])
  })

  test('when it is changed, with the old and new values', async () => {
    const body = { name: 'Diary', mfaPolicy: 'OPTIONAL', settings: { theme: 'dark' } }
    const first = await newEntries(() => call('PATCH', path, { headers, body }))
    expect(first.status).toBe(200)
    const details = { before: { settings: {} }, after: { settings: { theme: 'dark' } } }
    expect(first.entries).toEqual([entry('tenant.changed', { details })])
    const nothing = await newEntries(() => call('PATCH', path, { headers, body }))
    expect(nothing.status).toBe(200)
    expect(nothing.entries).toEqual([])
  })

  test('when an invitation is created, resent and revoked', async () => {
    const { id, email, userId } = await inviteMember({ role: 'admin' })
    const subject = { userId, email }
    const [created] = (await read()).entries
    const expiresAt = expect.stringMatching(TIMESTAMP)
    expect(created).toEqual(
      entry('invitation.created', {
        ...subject,
        details: { invitationId: id, after: { role: 'admin', status: 'PENDING', expiresAt } },
      }),
    )
    const resent = await newEntries(() => resendInvitation(headers, tenant.id, id))
    expect(resent.entries).toEqual([
      entry('invitation.resent', {
        ...subject,
        details: { invitationId: id, before: { expiresAt }, after: { expiresAt } },
      }),
    ])
    const revoked = await newEntries(() => revokeInvitation(headers, tenant.id, id))
    expect(revoked.entries).toEqual([
      entry('invitation.revoked', {
        ...subject,
        details: { invitationId: id, before: { status: 'PENDING' }, after: { status: 'REVOKED' } },
      }),
    ])
  })

  test('for the invitation and one for the member, when it is accepted', async () => {
    const { id, email, token, membershipId } = await inviteMember()
    const program = { 'user-agent': PROGRAM }
    const { status, entries } = await newEntries(() => acceptInvitation(token, newAccountFields(), program))
    expect(status).toBe(200)
    const { members } = await listMembers(headers, tenant.id, '?limit=100')
    const userId = members.find((joined) => joined.id === membershipId)?.userId ?? null
    const actor = { kind: 'user', id: userId, displayName: 'Nora New' }
    expect(entries).toEqual([
      entry('invitation.accepted', {
        actor,
        userId,
        email,
        clientId: null,
        details: { invitationId: id, before: { status: 'PENDING' }, after: { status: 'ACCEPTED' } },
      }),
      entry('member.joined', {
        actor,
        userId,
        clientId: null,
        details: { after: { role: 'member', status: 'ACTIVE' } },
      }),
    ])
  })

  test('for each changed field of a member', async () => {
    const { membershipId, userId } = await newMember(owner.headers, tenant.id)
    const steps = [
      [{ role: 'admin' }, 'member.role_changed', { role: 'member' }, { role: 'admin' }],
      [{ status: 'SUSPENDED' }, 'member.suspended', { status: 'ACTIVE' }, { status: 'SUSPENDED' }],
      [{ status: 'ACTIVE' }, 'member.reactivated', { status: 'SUSPENDED' }, { status: 'ACTIVE' }],
    ] as const
    for (const [body, action, before, after] of steps) {
      const { entries } = await newEntries(() => change(membershipId, body))
      expect(entries).toEqual([entry(action, { userId, details: { before, after } })])
      expect((await newEntries(() => change(membershipId, body))).entries).toEqual([])
    }
    const removed = await newEntries(() => remove(membershipId))
    const before = { role: 'admin', status: 'ACTIVE' }
    expect(removed.entries).toEqual([entry('member.removed', { userId, details: { before } })])
  })

  test('when an INVITED member gets another role, and when it is removed', async () => {
    const { membershipId, userId } = await inviteMember()
    const changed = await newEntries(() => change(membershipId, { role: 'admin' }))
    const details = { before: { role: 'member' }, after: { role: 'admin' } }
    expect(changed.entries).toEqual([entry('member.role_changed', { userId, details })])
    const removed = await newEntries(() => remove(membershipId))
    const before = { role: 'admin', status: 'INVITED' }
    expect(removed.entries).toEqual([entry('member.removed', { userId, details: { before } })])
  })

  test('when a member leaves', async () => {
    const leaver = await newMember(owner.headers, tenant.id)
    const as = { ...leaver.headers, 'user-agent': PROGRAM }
    const { entries } = await newEntries(() => remove(leaver.membershipId, as))
    const actor = { kind: 'user', id: leaver.userId, displayName: 'Sam Someone' }
    const details = { before: { role: 'member', status: 'ACTIVE' } }
    const clientId = clientOf(leaver.headers)
    expect(entries).toEqual([entry('member.left', { actor, clientId, userId: leaver.userId, details })])
  })
})

describe('no entry', () => {
  test('is recorded for a request that changes nothing', async () => {
    const { id, token } = await inviteMember({ role: 'owner' })
    const refused = [
      () => call('PATCH', path, { headers, body: { name: '' } }),
      () => call('PATCH', path, { headers: member.headers, body: { name: 'Mine' } }),
      () => call('POST', `${path}/invitations`, { headers, body: { email: member.person.email } }),
      () => call('POST', `${path}/invitations`, { headers, body: { email: 'nonsense' } }),
      () => revokeInvitation(admin.headers, tenant.id, id),
      () => resendInvitation(admin.headers, tenant.id, id),
      () => acceptInvitation(token, { ...newAccountFields(), password: 'password1' }),
      () => acceptInvitation(token, {}, member.headers),
      () => remove(owner.membershipId),
      () => change(owner.membershipId, { role: 'member' }),
    ]
    for (const act of refused) {
      const { status, entries } = await newEntries(act)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(entries).toEqual([])
    }
  })

  test('contains a token', async () => {
    const { id, email, token } = await inviteMember()
    await resendInvitation(headers, tenant.id, id)
    const fresh = await waitForInvitationToken(email)
    const body = newAccountFields()
    await acceptInvitation(fresh, body)
    const text = JSON.stringify(await read('?limit=100'))
    for (const secret of [token, fresh, body.password]) expect(text).not.toContain(secret)
    expect(text).not.toMatch(/"[^"]*(token|hash)[^"]*":|\$argon/i)
  })
})
