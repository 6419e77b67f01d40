import { describe, expect, test } from 'vitest'
import { client, logIn } from '../support/account.ts'
import { openBrowser } from '../support/browser.ts'
import { asPerson, call, errorBody } from '../support/calls.ts'
import {
  acceptInvitation,
  getInvitation,
  inviteNewAddress,
  listInvitations,
  newAccountFields,
  resendInvitation,
  revokeInvitation,
} from '../support/invitations.ts'
import { bearer, getTokens, revokeToken } from '../support/oauth.ts'
import { createPerson, newConfirmedPerson } from '../support/person.ts'
import { expectedSignIn, postAuth, TIMESTAMP } from '../support/sign-in.ts'
import { listMembers, newCaller, newOwnedTenant } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant('Newcomers')
const newInvitation = (fields: object = {}) => inviteNewAddress(owner.headers, tenant.id, fields)
const NORA = { emailVerified: true, displayName: 'Nora New', givenName: 'Nora', familyName: 'New' }
const JOINED = { success: true, tenantId: tenant.id, tenantName: 'Newcomers' }

const findMember = async (email: string) =>
  (await listMembers(owner.headers, tenant.id, '?limit=100')).members.find(({ user }) => user.email === email)

/** The access token after a sign-in with a password. */
const signInHeaders = (email: string, password: string) => asPerson(createPerson(email, password), client)

describe('the holder of an invitation link', () => {
  test('sees the invitation without secrets', async () => {
    const { token, email } = await newInvitation({ role: 'admin' })
    const { status, body } = await getInvitation(token)
    expect(status).toBe(200)
    expect(body).toEqual({
      tenant: { id: tenant.id, name: 'Newcomers', slug: tenant.slug },
      role: 'admin',
      email,
      invitedBy: { displayName: 'Sam Someone' },
      expiresAt: expect.stringMatching(TIMESTAMP),
      hasAccount: false,
    })
  })

  test.each([
    ['unknown', 'A'.repeat(43)],
    ['a number', '1'],
    ['null', 'null'],
    ['a quote', "'"],
    ['a path traversal', '..%2f'],
    ['long', 'x'.repeat(2_000)],
  ])('cannot use a link that is %s, signed in or not', async (_, token) => {
    const responses = [
      await getInvitation(token),
      await acceptInvitation(token, newAccountFields()),
      await acceptInvitation(token, {}, owner.headers),
    ]
    for (const { status, body } of responses) {
      expect(status).toBe(404)
      expect(body).toEqual(errorBody(404, 'INVITATION_NOT_FOUND'))
    }
  })
})

describe('a person without an account who accepts', () => {
  test('gets an account with a confirmed address, and is an active member', async () => {
    const { token, email } = await newInvitation({ role: 'admin' })
    const invited = await findMember(email)
    const body = newAccountFields()
    const response = await acceptInvitation(token, body)
    expect(response.status).toBe(200)
    expect(response.body).toEqual(JOINED)
    expect(response.headers.getSetCookie()).toEqual([])
    const signed = await postAuth(openBrowser(), 'login', { email, password: body.password })
    expect(signed.status).toBe(200)
    expect(signed.body).toEqual(expectedSignIn(email, NORA))
    expect(await findMember(email)).toEqual({
      id: invited?.id,
      userId: (signed.body.user as { id: string }).id,
      status: 'ACTIVE',
      role: 'admin',
      joinedAt: expect.stringMatching(TIMESTAMP),
      user: { email, displayName: 'Nora New', pictureUrl: null },
    })
    expect(await listInvitations(owner.headers, tenant.id, '?status=ACCEPTED')).toContainEqual(
      expect.objectContaining({ email, role: 'admin', status: 'ACCEPTED' }),
    )
    const headers = await signInHeaders(email, body.password)
    expect((await call('GET', '/api/users/me', { headers })).body).toMatchObject({
      emailVerified: true,
      memberships: [{ tenantId: tenant.id, role: 'admin', status: 'ACTIVE' }],
    })
  })

  test('can accept once', async () => {
    const { token, email } = await newInvitation()
    const first = newAccountFields()
    await acceptInvitation(token, first)
    const again = [
      await acceptInvitation(token, newAccountFields()),
      await acceptInvitation(token),
      await getInvitation(token),
    ]
    for (const { status, body } of again) {
      expect(status).toBe(409)
      expect(body).toEqual(errorBody(409, 'INVITATION_ALREADY_ACCEPTED'))
    }
    // The second password was not set.
    expect(await logIn(email, first.password)).toBe(200)
  })

  test('gets the role of the invitation, not of the body', async () => {
    const other = await newOwnedTenant()
    const { token, email } = await newInvitation()
    const ignoredFields = {
      role: 'owner',
      tenantId: other.tenant.id,
      status: 'SUSPENDED',
      email: other.owner.person.email,
      isSuperAdmin: true,
      superAdmin: true,
      userId: owner.userId,
    }
    expect((await acceptInvitation(token, { ...newAccountFields(), ...ignoredFields })).body).toEqual(JOINED)
    expect(await findMember(email)).toMatchObject({ role: 'member', status: 'ACTIVE' })
    expect((await listMembers(other.owner.headers, other.tenant.id)).pagination.total).toBe(1)
  })

  test('gets the latest role of the invitation', async () => {
    const { token, email } = await newInvitation()
    const invited = await findMember(email)
    const path = `/api/tenants/${tenant.id}/members/${invited?.id}`
    const change = (body: object) => call('PATCH', path, { headers: owner.headers, body })
    expect((await change({ role: 'admin' })).status).toBe(200)
    expect((await change({ status: 'ACTIVE' })).body).toEqual(errorBody(409, 'INVITATION_PENDING'))
    expect((await getInvitation(token)).body).toMatchObject({ role: 'admin' })
    await acceptInvitation(token, newAccountFields())
    expect(await findMember(email)).toMatchObject({ role: 'admin', status: 'ACTIVE' })
  })

  test.each([
    ['a common one', 'password1', {}],
    ['a short one', 'zq4-7Yx', {}],
    ['their own name', 'Leonora Longname', { givenName: 'Leonora', familyName: 'Longname' }],
  ])('cannot choose %s as password, and can try again', async (_, password, names) => {
    const { token, email } = await newInvitation()
    const { status, body } = await acceptInvitation(token, { ...newAccountFields(), password, ...names })
    expect(status).toBe(422)
    expect(body.error).toBe('WEAK_PASSWORD')
    expect(await findMember(email)).toMatchObject({ status: 'INVITED' })
    expect((await getInvitation(token)).body).toMatchObject({ hasAccount: false })
    expect(await logIn(email, password)).toBe(401)
    expect((await acceptInvitation(token, newAccountFields())).status).toBe(200)
  })

  test('cannot choose the address as password', async () => {
    const { token, email } = await newInvitation()
    expect((await acceptInvitation(token, { ...newAccountFields(), password: email })).body.error).toBe('WEAK_PASSWORD')
  })

  test.each([
    ['password', undefined],
    ['givenName', undefined],
    ['familyName', undefined],
    ['givenName', '  '],
    ['familyName', 'x'.repeat(101)],
    ['familyName', 7],
    ['password', 7],
    ['givenName', 'No\u0000ra'],
  ])('must send %s, not %j, and can try again', async (field, value) => {
    const { token, email } = await newInvitation()
    const { status, body } = await acceptInvitation(token, { ...newAccountFields(), [field]: value })
    expect(status).toBe(422)
    expect(body.error).toBe('VALIDATION_FAILED')
    expect(JSON.stringify(body.details)).toContain(`"field":"${field}"`)
    expect(await findMember(email)).toMatchObject({ status: 'INVITED' })
    expect((await acceptInvitation(token, newAccountFields())).status).toBe(200)
  })

  test('gets all field errors together', async () => {
    const { token } = await newInvitation()
    const { status, body } = await acceptInvitation(token)
    expect(status).toBe(422)
    const details = ['password', 'givenName', 'familyName'].map((field) => ({
      field,
      message: expect.any(String),
    }))
    expect(body).toEqual(errorBody(422, 'VALIDATION_FAILED', { details }))
  })

  test('can accept with an expired token in the request', async () => {
    const { token } = await newInvitation()
    const person = await newConfirmedPerson()
    const { access_token } = await getTokens(await person.signIn(), client)
    await revokeToken(client, access_token)
    expect((await acceptInvitation(token, newAccountFields(), bearer(access_token))).body).toEqual(JOINED)
  })

  test('is not the person who is signed in: the invitation stays open', async () => {
    const { token, email } = await newInvitation()
    const { status, body } = await acceptInvitation(token, newAccountFields(), (await newCaller()).headers)
    expect(status).toBe(403)
    expect(body).toEqual(errorBody(403, 'INVITATION_EMAIL_MISMATCH'))
    expect(await findMember(email)).toMatchObject({ status: 'INVITED' })
    expect((await acceptInvitation(token, newAccountFields())).status).toBe(200)
  })

  test('gets the error of an invalid invitation before field errors', async () => {
    const revoked = await newInvitation()
    await revokeInvitation(owner.headers, tenant.id, revoked.id)
    const resent = await newInvitation()
    await resendInvitation(owner.headers, tenant.id, resent.id)
    for (const headers of [{}, owner.headers]) {
      expect((await acceptInvitation(revoked.token, {}, headers)).body).toEqual(errorBody(410, 'INVITATION_REVOKED'))
      expect((await acceptInvitation(resent.token, {}, headers)).body).toEqual(errorBody(404, 'INVITATION_NOT_FOUND'))
    }
  })
})
