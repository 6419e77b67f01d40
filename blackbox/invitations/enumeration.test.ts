import { describe, expect, test } from 'vitest'
import { callAdmin } from '../support/admin.ts'
import { call, errorBody } from '../support/calls.ts'
import { acceptInvitation, newAddress, readAudit, resendInvitation, revokeInvitation } from '../support/invitations.ts'
import {
  getLicense,
  grantSeat,
  type LedgerEntry,
  newMachineHeaders,
  newTenantWithSeats,
  type TenantMember,
  toTenantMember,
} from '../support/licensing.ts'
import { unique } from '../support/service.ts'
import { UUID } from '../support/sign-in.ts'
import { getUserId } from '../support/tenant-administration.ts'
import { invite, listMembers, newCaller, newOwnedTenant, waitForInvitationToken } from '../support/tenants.ts'

const { application, tenant, owner, pro } = await newTenantWithSeats(10)
const path = `/api/tenants/${tenant.id}`

/** A person with an account, and an address without one. */
async function newAddresses() {
  const account = await newCaller()
  const accountId = await getUserId(account.headers)
  return { account, accountId, emails: [account.person.email, newAddress()] }
}

async function findInvitedMember(email: string) {
  const { members } = await listMembers(owner.headers, tenant.id, '?status=INVITED&limit=100')
  const found = members.find(({ user }) => user.email === email)
  if (!found) throw new Error(`${email} is not invited`)
  return found
}

async function inviteAndFind(email: string) {
  const invitationId = await invite(owner.headers, tenant.id, { email })
  return { invitationId, member: await findInvitedMember(email) }
}

/** The creation time of an id (UUIDv7, RFC 9562 §5.7). */
const timestampOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

interface Event {
  type: string
  data: { userId: string | null; email: string | null }
}

/** All events of the tenant, after the last expected event has arrived. */
async function readFeed({ tenantHeaders }: TenantMember): Promise<Event[]> {
  const [newest] = (await readAudit(owner.headers, tenant.id, '?action=member')).entries
  const read = async () => {
    const { body } = await call<{ events: (Event & { id: string })[] }>('GET', '/api/events?limit=1000', {
      headers: tenantHeaders,
    })
    return body.events
  }
  await expect.poll(async () => (await read()).map(({ id }) => id)).toContain(newest?.id)
  return read()
}

describe('T178: whether an invited address has an account is not revealed', () => {
  test('by the userId of the INVITED member: every invitation has its own, created with it', async () => {
    const { accountId, emails } = await newAddresses()
    const seen = [accountId]
    for (const email of [...emails, ...emails]) {
      const before = Date.now()
      const { invitationId, member } = await inviteAndFind(email)
      expect(member.userId).toMatch(UUID)
      expect(seen).not.toContain(member.userId)
      // The clocks of service and test may differ.
      expect(timestampOf(member.userId)).toBeGreaterThan(before - 1_000)
      seen.push(member.userId)
      expect((await revokeInvitation(owner.headers, tenant.id, invitationId)).status).toBe(200)
    }
  })

  test('by the response to a change, the audit log, its export or the event feed', async () => {
    const { accountId, emails } = await newAddresses()
    for (const email of emails) {
      const { invitationId, member } = await inviteAndFind(email)
      const { id, userId } = member
      await resendInvitation(owner.headers, tenant.id, invitationId)
      const changed = await call('PATCH', `${path}/members/${id}`, {
        headers: owner.headers,
        body: { role: 'admin' },
      })
      expect(changed).toMatchObject({ status: 200, body: { id, userId, status: 'INVITED', role: 'admin' } })
      await revokeInvitation(owner.headers, tenant.id, invitationId)
      const { entries } = await readAudit(owner.headers, tenant.id, `?userId=${userId}&order=asc`)
      expect(entries.map(({ action }) => action)).toEqual([
        ...['invitation.created', 'invitation.resent', 'member.role_changed', 'invitation.revoked'],
      ])
      const again = await inviteAndFind(email)
      await call('DELETE', `${path}/members/${again.member.id}`, { headers: owner.headers })
      const removed = await readAudit(owner.headers, tenant.id, `?userId=${again.member.userId}&order=asc`)
      expect(removed.entries.map(({ action }) => action)).toEqual(['invitation.created', 'member.removed'])
    }
    const exported = await call<string>('GET', `${path}/audit/export?format=csv`, { headers: owner.headers })
    expect(exported.status).toBe(200)
    expect(exported.body).toContain(emails[0])
    expect(exported.body).not.toContain(accountId)
    const events = await readFeed(await toTenantMember(owner, tenant))
    expect(events.some(({ data }) => data.email === emails[0])).toBe(true)
    expect(JSON.stringify(events)).not.toContain(accountId)
    expect(JSON.stringify(await readAudit(owner.headers, tenant.id, '?limit=100'))).not.toContain(accountId)
    expect((await readAudit(owner.headers, tenant.id, `?userId=${accountId}`)).entries).toEqual([])
  })

  test('by the member list for operators, who use the same id', async () => {
    const { accountId, emails } = await newAddresses()
    for (const email of emails) {
      const { member } = await inviteAndFind(email)
      const members = `/tenants/${tenant.id}/members`
      const listed = await callAdmin('GET', `${members}?status=INVITED&search=${encodeURIComponent(email)}`)
      expect(listed.body.members).toEqual([member])
      const changed = await callAdmin('PATCH', `${members}/${member.userId}`, { role: 'admin' })
      expect(changed).toMatchObject({ status: 200, body: { id: member.id, userId: member.userId } })
      expect((await callAdmin('DELETE', `${members}/${member.userId}`)).status).toBe(200)
    }
    // Operators know the accounts, and may also use their ids.
    const { member } = await inviteAndFind(emails[0] ?? '')
    const byAccount = await callAdmin('DELETE', `/tenants/${tenant.id}/members/${accountId}`)
    expect(byAccount.status).toBe(200)
    expect((await callAdmin('DELETE', `/tenants/${tenant.id}/members/${member.userId}`)).status).toBe(404)
  })

  test('by licenses: the account of an INVITED member is unknown', async () => {
    const { accountId, emails } = await newAddresses()
    const grantFields = { applicationId: application, licenseTypeId: pro.id }
    const headers = owner.tenantHeaders
    const unknownUserResponses = [
      (await grantSeat(headers, { ...grantFields, userId: crypto.randomUUID() })).body,
      (await getLicense(headers, 'explain', { userId: crypto.randomUUID(), applicationId: application })).body,
      (await getLicense(headers, 'check', { userId: crypto.randomUUID(), applicationId: application })).body,
    ]
    for (const email of emails) {
      const { member } = await inviteAndFind(email)
      const granted = await grantSeat(headers, { ...grantFields, userId: member.userId })
      expect(granted.body).toEqual(errorBody(400, 'MEMBER_NOT_ACTIVE'))
      const why = await getLicense(headers, 'explain', { userId: member.userId, applicationId: application })
      expect(why.body).toMatchObject({ decidedBy: 'MEMBERSHIP', message: 'The membership is INVITED.' })
    }
    const licenseQuery = { userId: accountId, applicationId: application }
    const responses = [
      (await grantSeat(headers, { ...grantFields, userId: accountId })).body,
      (await getLicense(headers, 'explain', licenseQuery)).body,
      (await getLicense(headers, 'check', licenseQuery)).body,
    ]
    expect(responses.map(withoutRequest)).toEqual(unknownUserResponses.map(withoutRequest))
  })

  test('by the ledger: a reserved seat has no user until the invitation is accepted', async () => {
    const machine = await newMachineHeaders(application, ['licenses:read'], tenant.id)
    const { account, accountId, emails } = await newAddresses()
    const seat = { applicationId: application, licenseTypeId: pro.id }
    for (const email of [...emails, ...emails]) {
      const { status, body } = await call('POST', `${path}/invitations`, {
        headers: owner.headers,
        body: { email, ...seat },
      })
      expect(status).toBe(201)
      await revokeInvitation(owner.headers, tenant.id, String(body.id))
    }
    const ledger = async (): Promise<LedgerEntry[]> => {
      const { body } = await call<{ entries: LedgerEntry[] }>(
        'GET',
        `/api/licensing/tenants/${tenant.id}/ledger?order=desc&limit=100`,
        { headers: machine },
      )
      return body.entries
    }
    const kept = (await ledger()).filter(({ reason }) => reason === 'RESERVED' || reason === 'ENDED')
    expect(kept).toHaveLength(8)
    for (const { userId } of kept) expect(userId).toBeNull()

    await call('POST', `${path}/invitations`, {
      headers: owner.headers,
      body: { email: emails[0], ...seat },
    })
    const token = await waitForInvitationToken(emails[0] ?? '')
    expect((await acceptInvitation(token, {}, account.headers)).status).toBe(200)
    const [accepted, reserved] = await ledger()
    expect(reserved).toMatchObject({ reason: 'RESERVED', userId: null })
    expect(accepted).toMatchObject({
      reason: 'ACCEPTED',
      userId: accountId,
      subjectId: reserved?.subjectId,
    })
  })

  test('after acceptance, the member has the id of the account', async () => {
    const { account, accountId } = await newAddresses()
    const { member } = await inviteAndFind(account.person.email)
    const token = await waitForInvitationToken(account.person.email)
    expect((await acceptInvitation(token, {}, account.headers)).status).toBe(200)
    const { members } = await listMembers(owner.headers, tenant.id, '?limit=100')
    const joined = members.find(({ user }) => user.email === account.person.email)
    expect(joined).toMatchObject({ id: member.id, userId: accountId, status: 'ACTIVE' })
    const { entries } = await readAudit(owner.headers, tenant.id, `?userId=${accountId}&order=asc`)
    expect(entries.map(({ action }) => action)).toEqual(['invitation.accepted', 'member.joined'])
  })
})

test('T178: the export of an account contains its invitations, revoked or not', async () => {
  const house = await newOwnedTenant(unique('House'))
  const account = await newCaller()
  const email = account.person.email
  const revoked = await invite(house.owner.headers, house.tenant.id, { email })
  await revokeInvitation(house.owner.headers, house.tenant.id, revoked)
  const open = await invite(house.owner.headers, house.tenant.id, { email })
  // It contains nothing of other accounts.
  await invite(house.owner.headers, house.tenant.id, { email: newAddress() })
  const { body } = await call<{ auditEntries: { action: string; details: object; personal: object }[] }>(
    'GET',
    '/api/users/me/export',
    { headers: account.headers },
  )
  const invitationEntries = body.auditEntries.filter(({ action }) => action.startsWith('invitation.'))
  expect(invitationEntries).toMatchObject([
    { action: 'invitation.created', details: { invitationId: open }, personal: { email } },
    { action: 'invitation.revoked', details: { invitationId: revoked }, personal: { email } },
    { action: 'invitation.created', details: { invitationId: revoked }, personal: { email } },
  ])
})

function withoutRequest({ requestId: _, ...body }: object & { requestId?: unknown }) {
  return body
}
