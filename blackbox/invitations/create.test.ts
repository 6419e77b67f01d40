import { describe, expect, test } from 'vitest'
import { call, errorBody, expectForbidden, newForbiddenCallers, ownOrigin } from '../support/calls.ts'
import {
  acceptInvitation,
  invitationsPath,
  inviteNewAddress,
  listInvitationMails,
  listInvitations,
  newAccountFields,
  newAddress,
  requestInvitation,
  revokeInvitation,
} from '../support/invitations.ts'
import { newConfirmedPerson } from '../support/person.ts'
import { baseUrl, unique } from '../support/service.ts'
import { TIMESTAMP, UUID } from '../support/sign-in.ts'
import { invite, listMembers, newMember, newOwnedTenant } from '../support/tenants.ts'

const DAY = 86_400_000
const { tenant, owner } = await newOwnedTenant('Umbrella Works')
const [admin, member] = [await newMember(owner.headers, tenant.id, 'admin'), await newMember(owner.headers, tenant.id)]
const sendInvitation = (body: unknown, headers = owner.headers) => requestInvitation(headers, tenant.id, body)

describe('inviting', () => {
  test('creates a pending invitation as member, valid for seven days', async () => {
    const email = newAddress()
    const before = Date.now()
    const { status, body } = await sendInvitation({ email })
    const after = Date.now()
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(UUID),
      email,
      role: 'member',
      status: 'PENDING',
      expiresAt: expect.stringMatching(TIMESTAMP),
    })
    const expiresAt = Date.parse(String(body.expiresAt))
    // The clock of a remote service may differ a little.
    expect(expiresAt).toBeGreaterThan(before + 7 * DAY - 60_000)
    expect(expiresAt).toBeLessThan(after + 7 * DAY + 60_000)
  })

  test('sends one mail with one link to the invitation page, and the response contains no secret', async () => {
    const email = newAddress()
    const { body } = await sendInvitation({ email })
    const [mail, ...others] = await listInvitationMails(email)
    expect(others).toEqual([])
    expect(mail?.to).toBe(email)
    expect(mail?.subject).toBe('Join "Umbrella Works"')
    const links = mail?.text.match(/https?:\/\/\S+\/invitations\/\S+/g) ?? []
    expect(links).toHaveLength(1)
    expect(links[0]?.startsWith(`${baseUrl}/invitations/`)).toBe(true)
    const token = links[0]?.split('/').at(-1) ?? ''
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(mail?.text).toContain('Sam Someone')
    expect(JSON.stringify(body)).not.toContain(token)
    expect(JSON.stringify(await listInvitations(owner.headers, tenant.id))).not.toContain(token)
  })

  test.each([
    [1, 1],
    [90, 90],
  ])('may be valid for %i days', async (expiresInDays, days) => {
    const { status, body } = await sendInvitation({ email: newAddress(), expiresInDays })
    expect(status).toBe(201)
    const left = Date.parse(String(body.expiresAt)) - Date.now()
    expect(Math.round(left / 60_000)).toBeCloseTo((days * DAY) / 60_000, -1)
  })

  test.each([0, -1, 91, 1.5, '7', 'soon', null, 1e9])('refuses %j as a number of days', async (days) => {
    const email = newAddress()
    const { status, body } = await sendInvitation({ email, expiresInDays: days })
    expect(status).toBe(422)
    const details = [{ field: 'expiresInDays', message: expect.any(String) }]
    expect(body).toEqual(errorBody(422, 'VALIDATION_FAILED', { details }))
    expect(await listInvitationMails(email)).toEqual([])
  })

  test.each(['superadmin', 'OWNER', '', null, ['admin'], 3])('refuses %j as a role', async (role) => {
    const email = newAddress()
    const { status, body } = await sendInvitation({ email, role })
    expect(status).toBe(422)
    expect(body.error).toBe('VALIDATION_FAILED')
    expect(await listInvitationMails(email)).toEqual([])
  })

  test('ignores other fields', async () => {
    const email = newAddress()
    const ignoredFields = {
      id: '018f0000-0000-7000-8000-000000000000',
      status: 'ACCEPTED',
      tenantId: unique('elsewhere'),
      invitedBy: admin.userId,
      expiresAt: '2099-01-01T00:00:00.000Z',
      token: 'a'.repeat(43),
    }
    const { status, body } = await sendInvitation({ email, ...ignoredFields })
    expect(status).toBe(201)
    expect(body.id).not.toBe(ignoredFields.id)
    expect(body).toMatchObject({ email, role: 'member', status: 'PENDING' })
    expect(Date.parse(String(body.expiresAt))).toBeLessThan(Date.now() + 8 * DAY)
    const [listed] = await listInvitations(owner.headers, tenant.id)
    expect(listed).toMatchObject({ id: body.id, invitedBy: { id: owner.userId } })
  })

  test('creates an INVITED member that shows only the address', async () => {
    const known = await newConfirmedPerson()
    for (const email of [newAddress(), known.email]) {
      await invite(owner.headers, tenant.id, { email, role: 'admin' })
      const { members } = await listMembers(owner.headers, tenant.id, '?status=INVITED&limit=100')
      expect(members.filter(({ user }) => user.email === email)).toEqual([
        {
          id: expect.stringMatching(UUID),
          userId: expect.stringMatching(UUID),
          status: 'INVITED',
          role: 'admin',
          joinedAt: null,
          user: { email, displayName: email.split('@')[0], pictureUrl: null },
        },
      ])
    }
  })
})

describe('the invited address', () => {
  test('must not be a member, in any letter case', async () => {
    for (const email of [admin.person.email, admin.person.email.toUpperCase(), owner.person.email]) {
      const { status, body } = await sendInvitation({ email })
      expect(status).toBe(409)
      expect(body).toEqual(errorBody(409, 'ALREADY_MEMBER'))
    }
    expect((await listInvitationMails(owner.person.email)).length).toBe(0)
  })

  test('must not be a suspended member', async () => {
    const away = await newMember(owner.headers, tenant.id)
    const path = `/api/tenants/${tenant.id}/members/${away.membershipId}`
    await call('PATCH', path, { headers: owner.headers, body: { status: 'SUSPENDED' } })
    const sent = await listInvitationMails(away.person.email)
    expect((await sendInvitation({ email: away.person.email })).body).toEqual(errorBody(409, 'ALREADY_MEMBER'))
    expect(await listInvitationMails(away.person.email)).toEqual(sent)
  })

  test('is invited once, in any letter case and with spaces around it', async () => {
    const email = newAddress()
    expect((await sendInvitation({ email: ` ${email.toUpperCase()} ` })).body).toMatchObject({ email })
    for (const again of [email, email.toUpperCase(), `${email} `]) {
      const { status, body } = await sendInvitation({ email: again, role: 'admin' })
      expect(status).toBe(409)
      expect(body).toEqual(errorBody(409, 'INVITATION_EXISTS'))
    }
    expect(await listInvitationMails(email)).toHaveLength(1)
    const mine = (await listInvitations(owner.headers, tenant.id)).filter((one) => one.email === email)
    expect(mine).toHaveLength(1)
    expect(mine[0]?.role).toBe('member')
  })

  test('may be invited by another tenant at the same time', async () => {
    const { email } = await inviteNewAddress(owner.headers, tenant.id)
    const other = await newOwnedTenant()
    expect((await requestInvitation(other.owner.headers, other.tenant.id, { email })).status).toBe(201)
    expect(await listInvitationMails(email)).toHaveLength(2)
  })

  test('may be invited again after the invitation was revoked or the member has left', async () => {
    const revoked = await inviteNewAddress(owner.headers, tenant.id)
    await revokeInvitation(owner.headers, tenant.id, revoked.id)
    expect((await sendInvitation({ email: revoked.email })).status).toBe(201)
    const left = await newMember(owner.headers, tenant.id)
    const path = `/api/tenants/${tenant.id}/members/${left.membershipId}`
    expect((await call('DELETE', path, { headers: left.headers })).status).toBe(200)
    expect((await sendInvitation({ email: left.person.email })).status).toBe(201)
  })
})

describe('permissions', () => {
  test.each(['owner', 'admin', 'member'])('an owner may invite as %s', async (role) => {
    const { token, email } = await inviteNewAddress(owner.headers, tenant.id, { role })
    expect((await acceptInvitation(token, newAccountFields())).status).toBe(200)
    const { members } = await listMembers(owner.headers, tenant.id, `?role=${role}&limit=100`)
    expect(members.map(({ user }) => user.email)).toContain(email)
  })

  test.each([
    ['admin', 201],
    ['member', 201],
    ['owner', 403],
  ] as const)('an admin who invites as %s gets %i', async (role, expected) => {
    const email = newAddress()
    const { status, body } = await sendInvitation({ email, role }, admin.headers)
    expect(status).toBe(expected)
    if (expected === 403) expect(body).toEqual(errorBody(403, 'FORBIDDEN'))
    expect(await listInvitationMails(email)).toHaveLength(expected === 201 ? 1 : 0)
  })

  test('a member and an outsider are refused without further information', async () => {
    const outsider = await newOwnedTenant()
    for (const { headers } of [member, outsider.owner]) {
      for (const body of [{ email: newAddress() }, { email: 'nonsense' }, {}]) {
        expect((await sendInvitation(body, headers)).body).toEqual(errorBody(403, 'FORBIDDEN'))
      }
    }
  })

  test('requires a token of a person from a trusted application', async () => {
    const email = newAddress()
    const route = { method: 'POST', path: invitationsPath(tenant.id), body: { email } }
    await expectForbidden(await newForbiddenCallers(owner.person), route)
    expect(await listInvitationMails(email)).toEqual([])
  })

  test('a page of another origin cannot invite with the cookie of an owner', async () => {
    const email = newAddress()
    const { cookies } = await owner.person.signIn()
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    expect((await sendInvitation({ email }, { cookie, origin: 'https://evil.test' })).status).toBe(403)
    expect((await sendInvitation({ email }, { cookie })).status).toBe(403)
    expect(await listInvitationMails(email)).toEqual([])
    expect((await sendInvitation({ email }, { cookie, origin: ownOrigin })).status).toBe(201)
  })
})

describe('an idempotency key', () => {
  const sendWithKey = (key: string, body: unknown) => sendInvitation(body, { ...owner.headers, 'idempotency-key': key })

  test('sends one mail for repeated requests, with the same response', async () => {
    const [key, email] = [unique('key'), newAddress()]
    const first = await sendWithKey(key, { email })
    expect(first.status).toBe(201)
    for (let round = 0; round < 3; round++) {
      const again = await sendWithKey(key, { email })
      expect(again.status).toBe(201)
      expect(again.body).toEqual(first.body)
      expect(again.headers.get('idempotency-replayed')).toBe('true')
    }
    expect(await listInvitationMails(email)).toHaveLength(1)
  })

  test('is valid for one body', async () => {
    const [key, email, other] = [unique('key'), newAddress(), newAddress()]
    await sendWithKey(key, { email })
    const { status, body } = await sendWithKey(key, { email: other })
    expect(status).toBe(422)
    expect(body).toEqual(errorBody(422, 'IDEMPOTENCY_KEY_REUSED'))
    expect(await listInvitationMails(other)).toEqual([])
  })
})
