import { describe, expect, test } from 'vitest'
import { client, logIn } from '../support/account.ts'
import { openBrowser } from '../support/browser.ts'
import { asPerson, call, refusal } from '../support/calls.ts'
import { accept, inviteStranger, look, newcomer } from '../support/invitations.ts'
import { linkIn, mailTo, tokenIn } from '../support/mail.ts'
import { newConfirmedPerson, person } from '../support/person.ts'
import { unique } from '../support/service.ts'
import { ask, shownUser, signedIn, UUID } from '../support/sign-in.ts'
import { invitationTokenFor, listMembers, newOwnedTenant } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant('Newcomers')
const newInvitation = (fields: object = {}) => inviteStranger(owner.headers, tenant.id, fields)
const JOINED = { success: true, tenantId: tenant.id, tenantName: 'Newcomers' }

const memberOf = async (email: string) =>
  (await listMembers(owner.headers, tenant.id, '?limit=100')).members.find(({ user }) => user.email === email)

/** The token of a person who signs in with a password. */
const headersOf = (email: string, password: string) => asPerson(person(email, password), client)

describe('somebody who was invited and has not come', () => {
  const password = unique('a long enough secret')

  test('cannot sign in, and there is no password to forget', async () => {
    const { email } = await newInvitation()
    for (const guess of ['', ' ', password]) expect(await logIn(email, guess)).toBe(401)
    const restored = await call('POST', '/api/auth/restore', { body: { email, password } })
    expect(restored.body).toEqual(refusal(401, 'INVALID_CREDENTIALS'))
    const forgot = await call('POST', '/api/auth/password/forgot', { body: { email } })
    expect(forgot.status).toBe(200)
    // A mail to somebody who has an account, asked for later, comes by the same way.
    const known = await newConfirmedPerson()
    await call('POST', '/api/auth/password/forgot', { body: { email: known.email } })
    await expect.poll(async () => (await mailTo(known.email)).length).toBe(2)
    expect(await mailTo(email)).toHaveLength(1)
  })

  test('may sign up instead: then the address is not confirmed, and they are still INVITED', async () => {
    const { email, token } = await newInvitation({ role: 'admin' })
    const invited = await memberOf(email)
    const names = { givenName: 'Sam', familyName: 'Someone' }
    const { status, body } = await call('POST', '/api/auth/register', { body: { email, password, ...names } })
    expect(status).toBe(201)
    expect(body).toEqual({ user: shownUser(email) })
    const signed = await ask(openBrowser(), 'login', { email, password })
    expect(signed.body).toEqual(signedIn(email))
    expect(signed.body.user).toMatchObject({ id: expect.stringMatching(UUID) })
    expect((signed.body.user as { id: string }).id).not.toBe(invited?.userId)
    expect(await memberOf(email)).toEqual(invited)
    expect((await look(token)).body).toMatchObject({ hasAccount: true })

    const unsigned = await accept(token, newcomer())
    expect(unsigned.status).toBe(401)
    expect(unsigned.body).toEqual(refusal(401, 'UNAUTHORIZED'))
    const headers = await headersOf(email, password)
    const unconfirmed = await accept(token, {}, headers)
    expect(unconfirmed.status).toBe(403)
    expect(unconfirmed.body).toEqual(refusal(403, 'EMAIL_NOT_VERIFIED'))
    expect(await memberOf(email)).toEqual(invited)

    const link = (await mailTo(email)).find((mail) => linkIn(mail)?.includes('/verify-email'))
    await call('POST', '/api/auth/email/verify', { body: { token: tokenIn(link) } })
    expect((await accept(token, {}, headers)).body).toEqual(JOINED)
    expect(await memberOf(email)).toMatchObject({ id: invited?.id, role: 'admin', status: 'ACTIVE' })
  })

  test('belongs to both tenants that invited them after accepting twice, as one person', async () => {
    const other = await newOwnedTenant()
    const { email, token } = await newInvitation()
    const { status } = await call('POST', `/api/tenants/${other.tenant.id}/invitations`, {
      headers: other.owner.headers,
      body: { email },
    })
    expect(status).toBe(201)
    const second = await invitationTokenFor(email)
    expect((await accept(token, { ...newcomer(), password })).status).toBe(200)
    // There is an account now.
    expect((await look(second)).body).toMatchObject({ hasAccount: true })
    expect((await accept(second, newcomer())).body).toEqual(refusal(401, 'UNAUTHORIZED'))
    const headers = await headersOf(email, password)
    const standing = async () => {
      const { memberships } = (await call('GET', '/api/users/me', { headers })).body
      const all = memberships as { tenantId: string; status: string }[]
      return Object.fromEntries(all.map(({ tenantId, status: state }) => [tenantId, state]))
    }
    expect(await standing()).toEqual({ [tenant.id]: 'ACTIVE', [other.tenant.id]: 'INVITED' })
    expect((await accept(second, {}, headers)).body).toMatchObject({ tenantId: other.tenant.id })
    expect(await standing()).toEqual({ [tenant.id]: 'ACTIVE', [other.tenant.id]: 'ACTIVE' })
  })
})
