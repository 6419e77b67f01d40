import { describe, expect, test } from 'vitest'
import { admin } from '../support/admin.ts'
import { call, refusal } from '../support/calls.ts'
import { accept, newAddress, readAudit, resend, revoke } from '../support/invitations.ts'
import {
  ask,
  getInside,
  grant,
  type Inside,
  type LedgerEntry,
  newMachineHeaders,
  newSeats,
} from '../support/licensing.ts'
import { unique } from '../support/service.ts'
import { UUID } from '../support/sign-in.ts'
import { whoIs } from '../support/tenant-administration.ts'
import { invitationTokenFor, invite, listMembers, newInsider, newOwnedTenant } from '../support/tenants.ts'

const { application, tenant, owner, pro } = await newSeats(10)
const path = `/api/tenants/${tenant.id}`

/** Somebody with an account, and an address of nobody's. */
async function bothKinds() {
  const account = await newInsider()
  const accountId = await whoIs(account.headers)
  return { account, accountId, emails: [account.person.email, newAddress()] }
}

async function invitedMember(email: string) {
  const { members } = await listMembers(owner.headers, tenant.id, '?status=INVITED&limit=100')
  const found = members.find(({ user }) => user.email === email)
  if (!found) throw new Error(`${email} is not invited`)
  return found
}

async function inviteAnd(email: string) {
  const invitationId = await invite(owner.headers, tenant.id, { email })
  return { invitationId, member: await invitedMember(email) }
}

/** When an id was made (UUIDv7, RFC 9562 §5.7). */
const momentOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

interface Event {
  type: string
  data: { userId: string | null; email: string | null }
}

/** All events of the tenant, once they have come as far as the last that is told of a member. */
async function readFeed({ inside }: Inside): Promise<Event[]> {
  const [newest] = (await readAudit(owner.headers, tenant.id, '?action=member')).entries
  const read = async () => {
    const { body } = await call<{ events: (Event & { id: string })[] }>('GET', '/api/events?limit=1000', {
      headers: inside,
    })
    return body.events
  }
  await expect.poll(async () => (await read()).map(({ id }) => id)).toContain(newest?.id)
  return read()
}

describe('T178: whether an invited address has an account is not told', () => {
  test('by the userId of the INVITED member: every invitation has one of its own, made with it', async () => {
    const { accountId, emails } = await bothKinds()
    const seen = [accountId]
    for (const email of [...emails, ...emails]) {
      const before = Date.now()
      const { invitationId, member } = await inviteAnd(email)
      expect(member.userId).toMatch(UUID)
      expect(seen).not.toContain(member.userId)
      // The clock of the service need not be that of the test.
      expect(momentOf(member.userId)).toBeGreaterThan(before - 1_000)
      seen.push(member.userId)
      expect((await revoke(owner.headers, tenant.id, invitationId)).status).toBe(200)
    }
  })

  test('by the reply to a change, the log, its export or the feed', async () => {
    const { accountId, emails } = await bothKinds()
    for (const email of emails) {
      const { invitationId, member } = await inviteAnd(email)
      const { id, userId } = member
      await resend(owner.headers, tenant.id, invitationId)
      const changed = await call('PATCH', `${path}/members/${id}`, {
        headers: owner.headers,
        body: { role: 'admin' },
      })
      expect(changed).toMatchObject({ status: 200, body: { id, userId, status: 'INVITED', role: 'admin' } })
      await revoke(owner.headers, tenant.id, invitationId)
      const { entries } = await readAudit(owner.headers, tenant.id, `?userId=${userId}&order=asc`)
      expect(entries.map(({ action }) => action)).toEqual([
        ...['invitation.created', 'invitation.resent', 'member.role_changed', 'invitation.revoked'],
      ])
      const again = await inviteAnd(email)
      await call('DELETE', `${path}/members/${again.member.id}`, { headers: owner.headers })
      const removed = await readAudit(owner.headers, tenant.id, `?userId=${again.member.userId}&order=asc`)
      expect(removed.entries.map(({ action }) => action)).toEqual(['invitation.created', 'member.removed'])
    }
    const exported = await call<string>('GET', `${path}/audit/export?format=csv`, { headers: owner.headers })
    expect(exported.status).toBe(200)
    expect(exported.body).toContain(emails[0])
    expect(exported.body).not.toContain(accountId)
    const events = await readFeed(await getInside(owner, tenant))
    expect(events.some(({ data }) => data.email === emails[0])).toBe(true)
    expect(JSON.stringify(events)).not.toContain(accountId)
    expect(JSON.stringify(await readAudit(owner.headers, tenant.id, '?limit=100'))).not.toContain(accountId)
    expect((await readAudit(owner.headers, tenant.id, `?userId=${accountId}`)).entries).toEqual([])
  })

  test('by the list of whoever runs the instance, who changes them by the same id', async () => {
    const { accountId, emails } = await bothKinds()
    for (const email of emails) {
      const { member } = await inviteAnd(email)
      const members = `/tenants/${tenant.id}/members`
      const listed = await admin('GET', `${members}?status=INVITED&search=${encodeURIComponent(email)}`)
      expect(listed.body.members).toEqual([member])
      const changed = await admin('PATCH', `${members}/${member.userId}`, { role: 'admin' })
      expect(changed).toMatchObject({ status: 200, body: { id: member.id, userId: member.userId } })
      expect((await admin('DELETE', `${members}/${member.userId}`)).status).toBe(200)
    }
    // Who runs the instance knows the accounts, and may name one of them too.
    const { member } = await inviteAnd(emails[0] ?? '')
    const byAccount = await admin('DELETE', `/tenants/${tenant.id}/members/${accountId}`)
    expect(byAccount.status).toBe(200)
    expect((await admin('DELETE', `/tenants/${tenant.id}/members/${member.userId}`)).status).toBe(404)
  })

  test('by licenses: the account of an INVITED member is a stranger', async () => {
    const { accountId, emails } = await bothKinds()
    const wish = { applicationId: application, licenseTypeId: pro.id }
    const headers = owner.inside
    const strangers = [
      (await grant(headers, { ...wish, userId: crypto.randomUUID() })).body,
      (await ask(headers, 'explain', { userId: crypto.randomUUID(), applicationId: application })).body,
      (await ask(headers, 'check', { userId: crypto.randomUUID(), applicationId: application })).body,
    ]
    for (const email of emails) {
      const { member } = await inviteAnd(email)
      const granted = await grant(headers, { ...wish, userId: member.userId })
      expect(granted.body).toEqual(refusal(400, 'MEMBER_NOT_ACTIVE'))
      const why = await ask(headers, 'explain', { userId: member.userId, applicationId: application })
      expect(why.body).toMatchObject({ decidedBy: 'MEMBERSHIP', message: 'The membership is INVITED.' })
    }
    const about = { userId: accountId, applicationId: application }
    const answers = [
      (await grant(headers, { ...wish, userId: accountId })).body,
      (await ask(headers, 'explain', about)).body,
      (await ask(headers, 'check', about)).body,
    ]
    expect(answers.map(withoutRequest)).toEqual(strangers.map(withoutRequest))
  })

  test('by the ledger: a seat that is kept for somebody names nobody until they accept', async () => {
    const machine = await newMachineHeaders(application, ['licenses:read'], tenant.id)
    const { account, accountId, emails } = await bothKinds()
    const seat = { applicationId: application, licenseTypeId: pro.id }
    for (const email of [...emails, ...emails]) {
      const { status, body } = await call('POST', `${path}/invitations`, {
        headers: owner.headers,
        body: { email, ...seat },
      })
      expect(status).toBe(201)
      await revoke(owner.headers, tenant.id, String(body.id))
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
    const token = await invitationTokenFor(emails[0] ?? '')
    expect((await accept(token, {}, account.headers)).status).toBe(200)
    const [accepted, reserved] = await ledger()
    expect(reserved).toMatchObject({ reason: 'RESERVED', userId: null })
    expect(accepted).toMatchObject({
      ...{ reason: 'ACCEPTED', userId: accountId, subjectId: reserved?.subjectId },
    })
  })

  test('after they have accepted, the account has its own id there', async () => {
    const { account, accountId } = await bothKinds()
    const { member } = await inviteAnd(account.person.email)
    const token = await invitationTokenFor(account.person.email)
    expect((await accept(token, {}, account.headers)).status).toBe(200)
    const { members } = await listMembers(owner.headers, tenant.id, '?limit=100')
    const joined = members.find(({ user }) => user.email === account.person.email)
    expect(joined).toMatchObject({ id: member.id, userId: accountId, status: 'ACTIVE' })
    const { entries } = await readAudit(owner.headers, tenant.id, `?userId=${accountId}&order=asc`)
    expect(entries.map(({ action }) => action)).toEqual(['invitation.accepted', 'member.joined'])
  })
})

test('T178: whoever is invited finds the invitation in the export of their data, revoked or not', async () => {
  const house = await newOwnedTenant(unique('House'))
  const account = await newInsider()
  const email = account.person.email
  const revoked = await invite(house.owner.headers, house.tenant.id, { email })
  await revoke(house.owner.headers, house.tenant.id, revoked)
  const open = await invite(house.owner.headers, house.tenant.id, { email })
  // Of somebody else's nothing is in it.
  await invite(house.owner.headers, house.tenant.id, { email: newAddress() })
  const { body } = await call<{ auditEntries: { action: string; details: object; personal: object }[] }>(
    'GET',
    '/api/users/me/export',
    { headers: account.headers },
  )
  const told = body.auditEntries.filter(({ action }) => action.startsWith('invitation.'))
  expect(told).toMatchObject([
    { action: 'invitation.created', details: { invitationId: open }, personal: { email } },
    { action: 'invitation.revoked', details: { invitationId: revoked }, personal: { email } },
    { action: 'invitation.created', details: { invitationId: revoked }, personal: { email } },
  ])
})

function withoutRequest({ requestId: _, ...body }: object & { requestId?: unknown }) {
  return body
}
