import { describe, expect, test } from 'vitest'
import { call, errorBody, expectForbidden, newForbiddenCallers } from '../support/calls.ts'
import {
  acceptInvitation,
  invitationsPath,
  inviteNewAddress,
  listInvitationMails,
  listInvitations,
  newAccountFields,
  newAddress,
} from '../support/invitations.ts'
import { unique } from '../support/service.ts'
import { TIMESTAMP, UUID } from '../support/sign-in.ts'
import { newMember, newOwnedTenant, waitForInvitationToken } from '../support/tenants.ts'

interface Reply {
  created: number
  failed: number
  results: Record<string, unknown>[]
}

const { tenant, owner } = await newOwnedTenant()
const admin = await newMember(owner.headers, tenant.id, 'admin')
const member = await newMember(owner.headers, tenant.id)
const path = `${invitationsPath(tenant.id)}/bulk`
const inviteAll = (invitations: unknown, headers: Record<string, string> = owner.headers) =>
  call<Reply>('POST', path, { headers, body: { invitations } })

const success = (email: string, fields: object = {}) => ({
  email,
  statusCode: 201,
  invitation: {
    id: expect.stringMatching(UUID),
    email,
    role: 'member',
    status: 'PENDING',
    expiresAt: expect.stringMatching(TIMESTAMP),
    ...fields,
  },
})
const failed = (email: unknown, statusCode: number, error: string, field?: string) => ({
  email,
  statusCode,
  error,
  message: expect.any(String),
  ...(field && { details: [{ field, message: expect.any(String) }] }),
})

describe('inviting in bulk', () => {
  test('gives every row the result of a single invitation, in the order of the rows', async () => {
    const [ann, ben, cleo] = [newAddress(), newAddress(), newAddress()]
    const { email: known } = await inviteNewAddress(owner.headers, tenant.id)
    const { status, body } = await inviteAll([
      { email: ann },
      { email: member.person.email },
      { email: 'nonsense' },
      { email: ben, role: 'owner', expiresInDays: 1 },
      { email: known.toUpperCase() },
      { email: ann.toUpperCase() },
      { email: cleo, role: 'king' },
      { email: cleo, expiresInDays: 91 },
      { email: 7 },
      { email: [ann, ben] },
      { email: cleo, status: 'ACCEPTED', id: 'x' },
    ])
    expect(status).toBe(200)
    expect(body).toEqual({
      created: 3,
      failed: 8,
      results: [
        success(ann),
        failed(member.person.email, 409, 'ALREADY_MEMBER'),
        failed('nonsense', 422, 'VALIDATION_FAILED', 'email'),
        success(ben, { role: 'owner' }),
        failed(known.toUpperCase(), 409, 'INVITATION_EXISTS'),
        failed(ann.toUpperCase(), 409, 'INVITATION_EXISTS'),
        failed(cleo, 422, 'VALIDATION_FAILED', 'role'),
        failed(cleo, 422, 'VALIDATION_FAILED', 'expiresInDays'),
        failed(7, 422, 'VALIDATION_FAILED', 'email'),
        failed([ann, ben], 422, 'VALIDATION_FAILED', 'email'),
        success(cleo),
      ],
    })
    for (const email of [ann, ben, cleo, known]) expect(await listInvitationMails(email)).toHaveLength(1)
    const listed = (await listInvitations(owner.headers, tenant.id)).map(({ email }) => email)
    expect(listed).toEqual(expect.arrayContaining([ann, ben, cleo]))
    expect((await acceptInvitation(await waitForInvitationToken(cleo), newAccountFields())).status).toBe(200)
  })

  test('refuses the owner role for an admin, and processes the other rows', async () => {
    const [ann, ben] = [newAddress(), newAddress()]
    const { body } = await inviteAll([{ email: ann, role: 'owner' }, { email: ben }], admin.headers)
    expect(body).toEqual({ created: 1, failed: 1, results: [failed(ann, 403, 'FORBIDDEN'), success(ben)] })
    expect(await listInvitationMails(ann)).toEqual([])
  })

  test('accepts up to 200 rows', async () => {
    const rows = (count: number) => Array.from({ length: count }, () => ({ email: 'nonsense' }))
    expect((await inviteAll(rows(200))).body).toMatchObject({ created: 0, failed: 200 })
    expect((await inviteAll(rows(201))).status).toBe(422)
  })

  test.each([[[]], [undefined], [null], ['x'], [{}], [[7]], [[{}]], [[null]]])('refuses %j as rows', async (rows) => {
    const { status, body } = await inviteAll(rows)
    expect(status).toBe(422)
    expect(body).toMatchObject({ error: 'VALIDATION_FAILED' })
  })

  test('has the mail quota of single invitations, per row', async () => {
    // An address cannot be invited twice, so the further mails are resends.
    const { id, email } = await inviteNewAddress(owner.headers, tenant.id)
    const again = () => call('POST', `${invitationsPath(tenant.id)}/${id}/resend`, { headers: owner.headers })
    for (let round = 0; round < 20; round++) await again()
    await call('DELETE', `${invitationsPath(tenant.id)}/${id}`, { headers: owner.headers })
    const sent = (await listInvitationMails(email)).length
    const other = newAddress()
    const { body } = await inviteAll([{ email }, { email: other }])
    expect(body.results).toEqual([failed(email, 429, 'RATE_LIMITED'), success(other)])
    expect(await listInvitationMails(email)).toHaveLength(sent)
  })

  test('sends every mail once under an idempotency key', async () => {
    const email = newAddress()
    const headers = { ...owner.headers, 'idempotency-key': unique('key') }
    const first = await inviteAll([{ email }], headers)
    expect(first.body.created).toBe(1)
    const again = await inviteAll([{ email }], headers)
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await listInvitationMails(email)).toHaveLength(1)
  })

  test('is allowed for admins and owners only', async () => {
    const email = newAddress()
    const outsider = await newOwnedTenant()
    for (const { headers } of [member, outsider.owner]) {
      for (const rows of [[{ email }], 'nonsense']) {
        const { status, body } = await inviteAll(rows, headers)
        expect(status).toBe(403)
        expect(body).toEqual(errorBody(403, 'FORBIDDEN'))
      }
    }
    const body = { invitations: [{ email }] }
    await expectForbidden(await newForbiddenCallers(member.person), { method: 'POST', path, body })
    expect(await listInvitationMails(email)).toEqual([])
  })
})
