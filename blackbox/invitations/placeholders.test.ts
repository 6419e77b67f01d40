import { describe, expect, test } from 'vitest'
import { client, logIn } from '../support/account.ts'
import { openBrowser } from '../support/browser.ts'
import { asPerson, call, errorBody } from '../support/calls.ts'
import { acceptInvitation, getInvitation, inviteNewAddress, newAccountFields } from '../support/invitations.ts'
import { findLink, findToken, listMails } from '../support/mail.ts'
import { createPerson, newConfirmedPerson } from '../support/person.ts'
import { unique } from '../support/service.ts'
import { expectedSignIn, expectedUser, postAuth, UUID } from '../support/sign-in.ts'
import { listMembers, newOwnedTenant, waitForInvitationToken } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant('Newcomers')
const newInvitation = (fields: object = {}) => inviteNewAddress(owner.headers, tenant.id, fields)
const JOINED = { success: true, tenantId: tenant.id, tenantName: 'Newcomers' }

const findMember = async (email: string) =>
  (await listMembers(owner.headers, tenant.id, '?limit=100')).members.find(({ user }) => user.email === email)

/** The access token after a sign-in with a password. */
const signInHeaders = (email: string, password: string) => asPerson(createPerson(email, password), client)

describe('a placeholder account', () => {
  const password = unique('a long enough secret')

  test('cannot sign in, and has no password to reset', async () => {
    const { email } = await newInvitation()
    for (const guess of ['', ' ', password]) expect(await logIn(email, guess)).toBe(401)
    const restored = await call('POST', '/api/auth/restore', { body: { email, password } })
    expect(restored.body).toEqual(errorBody(401, 'INVALID_CREDENTIALS'))
    const forgot = await call('POST', '/api/auth/password/forgot', { body: { email } })
    expect(forgot.status).toBe(200)
    // A later mail to an existing account is sent in the same order.
    const known = await newConfirmedPerson()
    await call('POST', '/api/auth/password/forgot', { body: { email: known.email } })
    await expect.poll(async () => (await listMails(known.email)).length).toBe(2)
    expect(await listMails(email)).toHaveLength(1)
  })

  test('can be replaced by signing up: the address is then unconfirmed, and the member still INVITED', async () => {
    const { email, token } = await newInvitation({ role: 'admin' })
    const invited = await findMember(email)
    const names = { givenName: 'Sam', familyName: 'Someone' }
    const { status, body } = await call('POST', '/api/auth/register', { body: { email, password, ...names } })
    expect(status).toBe(201)
    expect(body).toEqual({ user: expectedUser(email) })
    const signed = await postAuth(openBrowser(), 'login', { email, password })
    expect(signed.body).toEqual(expectedSignIn(email))
    expect(signed.body.user).toMatchObject({ id: expect.stringMatching(UUID) })
    expect((signed.body.user as { id: string }).id).not.toBe(invited?.userId)
    expect(await findMember(email)).toEqual(invited)
    expect((await getInvitation(token)).body).toMatchObject({ hasAccount: true })

    const unsigned = await acceptInvitation(token, newAccountFields())
    expect(unsigned.status).toBe(401)
    expect(unsigned.body).toEqual(errorBody(401, 'UNAUTHORIZED'))
    const headers = await signInHeaders(email, password)
    const unconfirmed = await acceptInvitation(token, {}, headers)
    expect(unconfirmed.status).toBe(403)
    expect(unconfirmed.body).toEqual(errorBody(403, 'EMAIL_NOT_VERIFIED'))
    expect(await findMember(email)).toEqual(invited)

    const link = (await listMails(email)).find((mail) => findLink(mail)?.includes('/verify-email'))
    await call('POST', '/api/auth/email/verify', { body: { token: findToken(link) } })
    expect((await acceptInvitation(token, {}, headers)).body).toEqual(JOINED)
    expect(await findMember(email)).toMatchObject({ id: invited?.id, role: 'admin', status: 'ACTIVE' })
  })

  test('becomes one account in both tenants after two invitations', async () => {
    const other = await newOwnedTenant()
    const { email, token } = await newInvitation()
    const { status } = await call('POST', `/api/tenants/${other.tenant.id}/invitations`, {
      headers: other.owner.headers,
      body: { email },
    })
    expect(status).toBe(201)
    const second = await waitForInvitationToken(email)
    expect((await acceptInvitation(token, { ...newAccountFields(), password })).status).toBe(200)
    // The account exists now.
    expect((await getInvitation(second)).body).toMatchObject({ hasAccount: true })
    expect((await acceptInvitation(second, newAccountFields())).body).toEqual(errorBody(401, 'UNAUTHORIZED'))
    const headers = await signInHeaders(email, password)
    const listRoles = async () => {
      const { memberships } = (await call('GET', '/api/users/me', { headers })).body
      const all = memberships as { tenantId: string; status: string }[]
      return Object.fromEntries(all.map(({ tenantId, status: state }) => [tenantId, state]))
    }
    expect(await listRoles()).toEqual({ [tenant.id]: 'ACTIVE', [other.tenant.id]: 'INVITED' })
    expect((await acceptInvitation(second, {}, headers)).body).toMatchObject({ tenantId: other.tenant.id })
    expect(await listRoles()).toEqual({ [tenant.id]: 'ACTIVE', [other.tenant.id]: 'ACTIVE' })
  })
})
