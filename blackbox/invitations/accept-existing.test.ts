import { describe, expect, test } from 'vitest'
import { client, logIn } from '../support/account.ts'
import { newApplication, newClient, newMachine } from '../support/admin.ts'
import { asPerson, call, errorBody, fromOwnPage, withCookies } from '../support/calls.ts'
import {
  acceptInvitation,
  getInvitation,
  newAccountFields,
  requestInvitation,
  revokeInvitation,
} from '../support/invitations.ts'
import { listMails } from '../support/mail.ts'
import { authorize, bearer, exchangeCode, readRedirect, requestMachineToken } from '../support/oauth.ts'
import { completePages } from '../support/pages.ts'
import { newPerson, type Person } from '../support/person.ts'
import { TIMESTAMP } from '../support/sign-in.ts'
import { getUserId } from '../support/tenant-administration.ts'
import { listMembers, newCaller, newMember, newOwnedTenant, waitForInvitationToken } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant('Neighbors')
const JOINED = { success: true, tenantId: tenant.id, tenantName: 'Neighbors' }

async function invitePerson(fields: object = {}) {
  const caller = await newCaller()
  const { status, body } = await requestInvitation(owner.headers, tenant.id, {
    email: caller.person.email,
    ...fields,
  })
  expect(status).toBe(201)
  return { ...caller, id: String(body.id), token: await waitForInvitationToken(caller.person.email) }
}

const findMember = async ({ email }: Person) =>
  (await listMembers(owner.headers, tenant.id, '?limit=100')).members.find(({ user }) => user.email === email)
const isOpen = async (token: string) => (await getInvitation(token)).status === 200

describe('a person with an account', () => {
  test('must be signed in to accept', async () => {
    const { token, person } = await invitePerson()
    expect((await getInvitation(token)).body).toMatchObject({ hasAccount: true, email: person.email })
    for (const body of [undefined, {}, newAccountFields(), { ...newAccountFields(), password: person.password }]) {
      const response = await acceptInvitation(token, body)
      expect(response.status).toBe(401)
      expect(response.body).toEqual(errorBody(401, 'UNAUTHORIZED'))
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
    }
    expect(await findMember(person)).toMatchObject({ status: 'INVITED' })
    expect(await isOpen(token)).toBe(true)
    expect(await logIn(person.email, person.password)).toBe(200)
  })

  test('becomes an active member with the invited role', async () => {
    const { token, person, headers } = await invitePerson({ role: 'admin' })
    const invited = await findMember(person)
    expect((await call('GET', '/api/tenants', { headers })).body).toEqual({ tenants: [] })
    expect((await call('GET', `/api/tenants/${tenant.id}`, { headers })).status).toBe(403)
    const { status, body } = await acceptInvitation(token, {}, headers)
    expect(status).toBe(200)
    expect(body).toEqual(JOINED)
    expect(await findMember(person)).toEqual({
      id: invited?.id,
      userId: await getUserId(headers),
      status: 'ACTIVE',
      role: 'admin',
      joinedAt: expect.stringMatching(TIMESTAMP),
      user: { email: person.email, displayName: 'Sam Someone', pictureUrl: null },
    })
    expect((await call('GET', `/api/tenants/${tenant.id}`, { headers })).status).toBe(200)
    expect((await acceptInvitation(token, {}, headers)).body).toEqual(errorBody(409, 'INVITATION_ALREADY_ACCEPTED'))
  })

  test('may accept without a body, or with a session cookie', async () => {
    const { token, headers } = await invitePerson()
    expect((await call('POST', `/api/invitations/${token}/accept`, { headers })).body).toEqual(JOINED)
    const other = await invitePerson()
    const browser = await other.person.signIn()
    // Another origin cannot accept with the cookie.
    expect((await acceptInvitation(other.token, {}, withCookies(browser))).status).toBe(403)
    const foreign = { ...withCookies(browser), origin: 'https://evil.test' }
    expect((await acceptInvitation(other.token, {}, foreign)).status).toBe(403)
    expect(await findMember(other.person)).toMatchObject({ status: 'INVITED' })
    expect((await acceptInvitation(other.token, {}, fromOwnPage(browser))).body).toEqual(JOINED)
  })

  test('cannot get more than the invited role through the body', async () => {
    const other = await newOwnedTenant()
    const { token, person, headers } = await invitePerson()
    const ignoredFields = {
      role: 'owner',
      tenantId: other.tenant.id,
      status: 'SUSPENDED',
      userId: owner.userId,
    }
    expect((await acceptInvitation(token, ignoredFields, headers)).body).toEqual(JOINED)
    expect(await findMember(person)).toMatchObject({ role: 'member', status: 'ACTIVE' })
    expect((await listMembers(other.owner.headers, other.tenant.id)).pagination.total).toBe(1)
  })

  test('keeps password, names and sessions, even if the body contains others', async () => {
    const { token, person, headers } = await invitePerson()
    const before = (await call('GET', '/api/users/me', { headers })).body
    const body = { ...newAccountFields(), displayName: 'Somebody Else', email: 'someone-else@blackbox.test' }
    expect((await acceptInvitation(token, body, headers)).status).toBe(200)
    const after = (await call('GET', '/api/users/me', { headers })).body
    const { memberships: _, ...rest } = before
    expect(after).toMatchObject(rest)
    expect(await logIn(person.email, body.password)).toBe(401)
    expect(await logIn(person.email, person.password)).toBe(200)
    // No mail about a password change was sent.
    expect((await listMails(person.email)).map(({ subject }) => subject)).not.toContainEqual(
      expect.stringMatching(/password/i),
    )
  })

  test('has the invitation in the list of own tenants', async () => {
    const { person, headers } = await invitePerson({ role: 'admin' })
    expect(await findMember(person)).toMatchObject({ status: 'INVITED' })
    expect((await call('GET', '/api/users/me', { headers })).body.memberships).toEqual([
      {
        tenantId: tenant.id,
        tenantName: 'Neighbors',
        tenantSlug: tenant.slug,
        role: 'admin',
        status: 'INVITED',
      },
    ])
  })

  test('gets no token for a tenant with a pending invitation', async () => {
    const { person } = await invitePerson()
    const response = await authorize(await person.signIn(), client, { tenant: tenant.slug, prompt: 'none' })
    expect(readRedirect(response)).toMatchObject({ error: expect.any(String) })
    expect(readRedirect(response)).not.toHaveProperty('code')
  })
})

describe('an invitation is for one address', () => {
  test('a person who is signed in with another address is refused, and it stays open', async () => {
    const { token, person, headers } = await invitePerson()
    const otherPerson = await newCaller()
    const callers = [otherPerson.headers, owner.headers]
    for (const other of callers) {
      for (const body of [{}, newAccountFields()]) {
        const response = await acceptInvitation(token, body, other)
        expect(response.status).toBe(403)
        expect(response.body).toEqual(errorBody(403, 'INVITATION_EMAIL_MISMATCH'))
      }
    }
    expect(await findMember(otherPerson.person)).toBeUndefined()
    expect(await findMember(person)).toMatchObject({ status: 'INVITED' })
    expect((await acceptInvitation(token, {}, headers)).status).toBe(200)
  })

  test('a person with an unconfirmed address is refused, and it stays open', async () => {
    const person = await newPerson()
    await requestInvitation(owner.headers, tenant.id, { email: person.email })
    const token = await waitForInvitationToken(person.email)
    const { status, body } = await acceptInvitation(token, {}, await asPerson(person, client))
    expect(status).toBe(403)
    expect(body).toEqual(errorBody(403, 'EMAIL_NOT_VERIFIED'))
    expect(await findMember(person)).toMatchObject({ status: 'INVITED' })
    expect(await isOpen(token)).toBe(true)
  })

  test('an invalid link is reported before authentication is required', async () => {
    const { token, id, headers } = await invitePerson()
    await revokeInvitation(owner.headers, tenant.id, id)
    for (const who of [{}, headers, owner.headers]) {
      const { status, body } = await acceptInvitation(token, {}, who)
      expect(status).toBe(410)
      expect(body).toEqual(errorBody(410, 'INVITATION_REVOKED'))
    }
    const used = await invitePerson()
    await acceptInvitation(used.token, {}, used.headers)
    for (const who of [{}, headers]) {
      expect((await acceptInvitation(used.token, {}, who)).body).toEqual(errorBody(409, 'INVITATION_ALREADY_ACCEPTED'))
    }
  })
})

describe('only a person can accept', () => {
  test('a machine and a third-party application are refused', async () => {
    const { token, person } = await invitePerson()
    const machine = await newMachine(await newApplication(), ['admin'])
    const machineToken = (await requestMachineToken(machine, { scope: 'admin' })).body.access_token
    const thirdParty = await newClient(await newApplication({ trusted: false }), 'SPA')
    const browser = await person.signIn()
    const { code = '' } = readRedirect(await completePages(browser, await authorize(browser, thirdParty), person))
    const thirdPartyToken = (await exchangeCode(thirdParty, code)).body.access_token
    for (const held of [machineToken, thirdPartyToken]) {
      const { status, body } = await acceptInvitation(token, {}, bearer(held))
      expect(status).toBe(403)
      expect(body).toEqual(errorBody(403, 'FORBIDDEN'))
    }
    expect(await findMember(person)).toMatchObject({ status: 'INVITED' })
  })
})

describe('a removed member', () => {
  test('returns through a new invitation only, with its role', async () => {
    const gone = await newMember(owner.headers, tenant.id, 'admin')
    const old = await waitForInvitationToken(gone.person.email)
    await call('DELETE', `/api/tenants/${tenant.id}/members/${gone.membershipId}`, { headers: owner.headers })
    expect((await acceptInvitation(old, {}, gone.headers)).body).toEqual(errorBody(409, 'INVITATION_ALREADY_ACCEPTED'))
    await requestInvitation(owner.headers, tenant.id, { email: gone.person.email })
    const fresh = await waitForInvitationToken(gone.person.email)
    // The previous token for the tenant ended with the membership.
    expect((await acceptInvitation(fresh, {}, await asPerson(gone.person, client))).body).toEqual(JOINED)
    expect(await findMember(gone.person)).toMatchObject({ role: 'member', status: 'ACTIVE' })
  })
})
