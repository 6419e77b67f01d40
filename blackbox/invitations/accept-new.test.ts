import { describe, expect, test } from 'vitest'
import { client, logIn } from '../support/account.ts'
import { openBrowser } from '../support/browser.ts'
import { asPerson, call, refusal } from '../support/calls.ts'
import {
  accept,
  inviteStranger,
  listInvitations,
  look,
  newcomer,
  resend,
  revoke,
} from '../support/invitations.ts'
import { bearer, getTokens, revoke as revokeToken } from '../support/oauth.ts'
import { newConfirmedPerson, person } from '../support/person.ts'
import { ask, signedIn, TIMESTAMP } from '../support/sign-in.ts'
import { listMembers, newInsider, newOwnedTenant } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant('Newcomers')
const newInvitation = (fields: object = {}) => inviteStranger(owner.headers, tenant.id, fields)
const NORA = { emailVerified: true, displayName: 'Nora New', givenName: 'Nora', familyName: 'New' }
const JOINED = { success: true, tenantId: tenant.id, tenantName: 'Newcomers' }

const memberOf = async (email: string) =>
  (await listMembers(owner.headers, tenant.id, '?limit=100')).members.find(({ user }) => user.email === email)

/** The token of a person who signs in with a password. */
const headersOf = (email: string, password: string) => asPerson(person(email, password), client)

describe('whoever holds the link of an invitation', () => {
  test('sees what it is for, and nothing secret', async () => {
    const { token, email } = await newInvitation({ role: 'admin' })
    const { status, body } = await look(token)
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
    ['made up', 'A'.repeat(43)],
    ['a number', '1'],
    ['null', 'null'],
    ['a quote', "'"],
    ['a way out', '..%2f'],
    ['long', 'x'.repeat(2_000)],
  ])('gets nowhere with one that is %s, whether signed in or not', async (_, token) => {
    const answers = [
      await look(token),
      await accept(token, newcomer()),
      await accept(token, {}, owner.headers),
    ]
    for (const { status, body } of answers) {
      expect(status).toBe(404)
      expect(body).toEqual(refusal(404, 'INVITATION_NOT_FOUND'))
    }
  })
})

describe('somebody without an account who accepts', () => {
  test('has one, with an address that is surely theirs, and is an active member', async () => {
    const { token, email } = await newInvitation({ role: 'admin' })
    const invited = await memberOf(email)
    const body = newcomer()
    const answer = await accept(token, body)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual(JOINED)
    expect(answer.headers.getSetCookie()).toEqual([])
    const signed = await ask(openBrowser(), 'login', { email, password: body.password })
    expect(signed.status).toBe(200)
    expect(signed.body).toEqual(signedIn(email, NORA))
    expect(await memberOf(email)).toEqual({
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
    const headers = await headersOf(email, body.password)
    expect((await call('GET', '/api/users/me', { headers })).body).toMatchObject({
      emailVerified: true,
      memberships: [{ tenantId: tenant.id, role: 'admin', status: 'ACTIVE' }],
    })
  })

  test('does so once', async () => {
    const { token, email } = await newInvitation()
    const first = newcomer()
    await accept(token, first)
    const again = [await accept(token, newcomer()), await accept(token), await look(token)]
    for (const { status, body } of again) {
      expect(status).toBe(409)
      expect(body).toEqual(refusal(409, 'INVITATION_ALREADY_ACCEPTED'))
    }
    // Nor has the second become the password.
    expect(await logIn(email, first.password)).toBe(200)
  })

  test('becomes what the invitation says, whatever they say', async () => {
    const other = await newOwnedTenant()
    const { token, email } = await newInvitation()
    const wishes = {
      ...{ role: 'owner', tenantId: other.tenant.id, status: 'SUSPENDED', email: other.owner.person.email },
      ...{ isSuperAdmin: true, superAdmin: true, userId: owner.userId },
    }
    expect((await accept(token, { ...newcomer(), ...wishes })).body).toEqual(JOINED)
    expect(await memberOf(email)).toMatchObject({ role: 'member', status: 'ACTIVE' })
    expect((await listMembers(other.owner.headers, other.tenant.id)).pagination.total).toBe(1)
  })

  test('has the role that was given to them last', async () => {
    const { token, email } = await newInvitation()
    const invited = await memberOf(email)
    const path = `/api/tenants/${tenant.id}/members/${invited?.id}`
    const change = (body: object) => call('PATCH', path, { headers: owner.headers, body })
    expect((await change({ role: 'admin' })).status).toBe(200)
    expect((await change({ status: 'ACTIVE' })).body).toEqual(refusal(409, 'INVITATION_PENDING'))
    expect((await look(token)).body).toMatchObject({ role: 'admin' })
    await accept(token, newcomer())
    expect(await memberOf(email)).toMatchObject({ role: 'admin', status: 'ACTIVE' })
  })

  test.each([
    ['a common one', 'password1', {}],
    ['a short one', 'zq4-7Yx', {}],
    ['their own name', 'Leonora Longname', { givenName: 'Leonora', familyName: 'Longname' }],
  ])('may not choose %s as password, and may try again', async (_, password, names) => {
    const { token, email } = await newInvitation()
    const { status, body } = await accept(token, { ...newcomer(), password, ...names })
    expect(status).toBe(422)
    expect(body.error).toBe('WEAK_PASSWORD')
    expect(await memberOf(email)).toMatchObject({ status: 'INVITED' })
    expect((await look(token)).body).toMatchObject({ hasAccount: false })
    expect(await logIn(email, password)).toBe(401)
    expect((await accept(token, newcomer())).status).toBe(200)
  })

  test('may not choose the address as password either', async () => {
    const { token, email } = await newInvitation()
    expect((await accept(token, { ...newcomer(), password: email })).body.error).toBe('WEAK_PASSWORD')
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
  ])('must say %s, and not %j, and may try again', async (field, value) => {
    const { token, email } = await newInvitation()
    const { status, body } = await accept(token, { ...newcomer(), [field]: value })
    expect(status).toBe(422)
    expect(body.error).toBe('VALIDATION_FAILED')
    expect(JSON.stringify(body.details)).toContain(`"field":"${field}"`)
    expect(await memberOf(email)).toMatchObject({ status: 'INVITED' })
    expect((await accept(token, newcomer())).status).toBe(200)
  })

  test('is told of everything that is missing at once', async () => {
    const { token } = await newInvitation()
    const { status, body } = await accept(token)
    expect(status).toBe(422)
    const details = ['password', 'givenName', 'familyName'].map((field) => ({
      field,
      message: expect.any(String),
    }))
    expect(body).toEqual(refusal(422, 'VALIDATION_FAILED', { details }))
  })

  test('needs no account, so a token that has run out is no obstacle', async () => {
    const { token } = await newInvitation()
    const person = await newConfirmedPerson()
    const { access_token } = await getTokens(await person.signIn(), client)
    await revokeToken(client, access_token)
    expect((await accept(token, newcomer(), bearer(access_token))).body).toEqual(JOINED)
  })

  test('is not somebody else who is signed in: the invitation stays open', async () => {
    const { token, email } = await newInvitation()
    const { status, body } = await accept(token, newcomer(), (await newInsider()).headers)
    expect(status).toBe(403)
    expect(body).toEqual(refusal(403, 'INVITATION_EMAIL_MISMATCH'))
    expect(await memberOf(email)).toMatchObject({ status: 'INVITED' })
    expect((await accept(token, newcomer())).status).toBe(200)
  })

  test('hears that an invitation is over before anything else is asked of them', async () => {
    const revoked = await newInvitation()
    await revoke(owner.headers, tenant.id, revoked.id)
    const resent = await newInvitation()
    await resend(owner.headers, tenant.id, resent.id)
    for (const headers of [{}, owner.headers]) {
      expect((await accept(revoked.token, {}, headers)).body).toEqual(refusal(410, 'INVITATION_REVOKED'))
      expect((await accept(resent.token, {}, headers)).body).toEqual(refusal(404, 'INVITATION_NOT_FOUND'))
    }
  })
})
