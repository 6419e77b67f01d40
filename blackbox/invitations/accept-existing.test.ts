import { describe, expect, test } from 'vitest'
import { client, logIn } from '../support/account.ts'
import { newApplication, newClient, newMachine } from '../support/admin.ts'
import { asPerson, call, fromOwnPage, refusal, withCookies } from '../support/calls.ts'
import { accept, askToInvite, look, newcomer, revoke } from '../support/invitations.ts'
import { mailTo } from '../support/mail.ts'
import { askMachineToken, authorize, bearer, exchange, landing } from '../support/oauth.ts'
import { goThrough } from '../support/pages.ts'
import { newPerson, type Person } from '../support/person.ts'
import { TIMESTAMP } from '../support/sign-in.ts'
import { whoIs } from '../support/tenant-administration.ts'
import { invitationTokenFor, listMembers, newInsider, newMember, newOwnedTenant } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant('Neighbours')
const JOINED = { success: true, tenantId: tenant.id, tenantName: 'Neighbours' }

async function inviteInsider(fields: object = {}) {
  const insider = await newInsider()
  const { status, body } = await askToInvite(owner.headers, tenant.id, {
    email: insider.person.email,
    ...fields,
  })
  expect(status).toBe(201)
  return { ...insider, id: String(body.id), token: await invitationTokenFor(insider.person.email) }
}

const memberOf = async ({ email }: Person) =>
  (await listMembers(owner.headers, tenant.id, '?limit=100')).members.find(({ user }) => user.email === email)
const isOpen = async (token: string) => (await look(token)).status === 200

describe('somebody with an account', () => {
  test('must be signed in to accept', async () => {
    const { token, person } = await inviteInsider()
    expect((await look(token)).body).toMatchObject({ hasAccount: true, email: person.email })
    for (const body of [undefined, {}, newcomer(), { ...newcomer(), password: person.password }]) {
      const answer = await accept(token, body)
      expect(answer.status).toBe(401)
      expect(answer.body).toEqual(refusal(401, 'UNAUTHORIZED'))
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
    }
    expect(await memberOf(person)).toMatchObject({ status: 'INVITED' })
    expect(await isOpen(token)).toBe(true)
    expect(await logIn(person.email, person.password)).toBe(200)
  })

  test('becomes an active member with the role they were invited for', async () => {
    const { token, person, headers } = await inviteInsider({ role: 'admin' })
    const invited = await memberOf(person)
    expect((await call('GET', '/api/tenants', { headers })).body).toEqual({ tenants: [] })
    expect((await call('GET', `/api/tenants/${tenant.id}`, { headers })).status).toBe(403)
    const { status, body } = await accept(token, {}, headers)
    expect(status).toBe(200)
    expect(body).toEqual(JOINED)
    expect(await memberOf(person)).toEqual({
      id: invited?.id,
      userId: await whoIs(headers),
      status: 'ACTIVE',
      role: 'admin',
      joinedAt: expect.stringMatching(TIMESTAMP),
      user: { email: person.email, displayName: 'Sam Someone', pictureUrl: null },
    })
    expect((await call('GET', `/api/tenants/${tenant.id}`, { headers })).status).toBe(200)
    expect((await accept(token, {}, headers)).body).toEqual(refusal(409, 'INVITATION_ALREADY_ACCEPTED'))
  })

  test('may send no body at all, or come with the cookie of their browser', async () => {
    const { token, headers } = await inviteInsider()
    expect((await call('POST', `/api/invitations/${token}/accept`, { headers })).body).toEqual(JOINED)
    const other = await inviteInsider()
    const browser = await other.person.signIn()
    // A page of another origin accepts nothing for them.
    expect((await accept(other.token, {}, withCookies(browser))).status).toBe(403)
    const foreign = { ...withCookies(browser), origin: 'https://evil.test' }
    expect((await accept(other.token, {}, foreign)).status).toBe(403)
    expect(await memberOf(other.person)).toMatchObject({ status: 'INVITED' })
    expect((await accept(other.token, {}, fromOwnPage(browser))).body).toEqual(JOINED)
  })

  test('becomes no more than that, whatever they send', async () => {
    const other = await newOwnedTenant()
    const { token, person, headers } = await inviteInsider()
    const wishes = { role: 'owner', tenantId: other.tenant.id, status: 'SUSPENDED', userId: owner.userId }
    expect((await accept(token, wishes, headers)).body).toEqual(JOINED)
    expect(await memberOf(person)).toMatchObject({ role: 'member', status: 'ACTIVE' })
    expect((await listMembers(other.owner.headers, other.tenant.id)).pagination.total).toBe(1)
  })

  test('keeps password, names and sessions, whatever they send', async () => {
    const { token, person, headers } = await inviteInsider()
    const before = (await call('GET', '/api/users/me', { headers })).body
    const body = { ...newcomer(), displayName: 'Somebody Else', email: 'someone-else@blackbox.test' }
    expect((await accept(token, body, headers)).status).toBe(200)
    const after = (await call('GET', '/api/users/me', { headers })).body
    const { memberships: _, ...rest } = before
    expect(after).toMatchObject(rest)
    expect(await logIn(person.email, body.password)).toBe(401)
    expect(await logIn(person.email, person.password)).toBe(200)
    // Nobody was told of a changed password either.
    expect((await mailTo(person.email)).map(({ subject }) => subject)).not.toContainEqual(
      expect.stringMatching(/password/i),
    )
  })

  test('sees among their own tenants that they are invited', async () => {
    const { person, headers } = await inviteInsider({ role: 'admin' })
    expect(await memberOf(person)).toMatchObject({ status: 'INVITED' })
    expect((await call('GET', '/api/users/me', { headers })).body.memberships).toEqual([
      {
        tenantId: tenant.id,
        tenantName: 'Neighbours',
        tenantSlug: tenant.slug,
        role: 'admin',
        status: 'INVITED',
      },
    ])
  })

  test('gets no token for a tenant they are only invited to', async () => {
    const { person } = await inviteInsider()
    const answer = await authorize(await person.signIn(), client, { tenant: tenant.slug, prompt: 'none' })
    expect(landing(answer)).toMatchObject({ error: expect.any(String) })
    expect(landing(answer)).not.toHaveProperty('code')
  })
})

describe('an invitation is for one address', () => {
  test('whoever is signed in with another is refused, and it stays open', async () => {
    const { token, person, headers } = await inviteInsider()
    const somebodyElse = await newInsider()
    const insiders = [somebodyElse.headers, owner.headers]
    for (const other of insiders) {
      for (const body of [{}, newcomer()]) {
        const answer = await accept(token, body, other)
        expect(answer.status).toBe(403)
        expect(answer.body).toEqual(refusal(403, 'INVITATION_EMAIL_MISMATCH'))
      }
    }
    expect(await memberOf(somebodyElse.person)).toBeUndefined()
    expect(await memberOf(person)).toMatchObject({ status: 'INVITED' })
    expect((await accept(token, {}, headers)).status).toBe(200)
  })

  test('whoever has not confirmed it is refused, and it stays open', async () => {
    const person = await newPerson()
    await askToInvite(owner.headers, tenant.id, { email: person.email })
    const token = await invitationTokenFor(person.email)
    const { status, body } = await accept(token, {}, await asPerson(person, client))
    expect(status).toBe(403)
    expect(body).toEqual(refusal(403, 'EMAIL_NOT_VERIFIED'))
    expect(await memberOf(person)).toMatchObject({ status: 'INVITED' })
    expect(await isOpen(token)).toBe(true)
  })

  test('a link that is over is over for everybody, before anybody is asked who they are', async () => {
    const { token, id, headers } = await inviteInsider()
    await revoke(owner.headers, tenant.id, id)
    for (const who of [{}, headers, owner.headers]) {
      const { status, body } = await accept(token, {}, who)
      expect(status).toBe(410)
      expect(body).toEqual(refusal(410, 'INVITATION_REVOKED'))
    }
    const used = await inviteInsider()
    await accept(used.token, {}, used.headers)
    for (const who of [{}, headers]) {
      expect((await accept(used.token, {}, who)).body).toEqual(refusal(409, 'INVITATION_ALREADY_ACCEPTED'))
    }
  })
})

describe('no program accepts for a person', () => {
  test('neither a machine nor an application of somebody else', async () => {
    const { token, person } = await inviteInsider()
    const machine = await newMachine(await newApplication(), ['admin'])
    const machineToken = (await askMachineToken(machine, { scope: 'admin' })).body.access_token
    const stranger = await newClient(await newApplication({ trusted: false }), 'SPA')
    const browser = await person.signIn()
    const { code = '' } = landing(await goThrough(browser, await authorize(browser, stranger), person))
    const strangersToken = (await exchange(stranger, code)).body.access_token
    for (const held of [machineToken, strangersToken]) {
      const { status, body } = await accept(token, {}, bearer(held))
      expect(status).toBe(403)
      expect(body).toEqual(refusal(403, 'FORBIDDEN'))
    }
    expect(await memberOf(person)).toMatchObject({ status: 'INVITED' })
  })
})

describe('a person who was removed', () => {
  test('comes back by a new invitation only, with the role of that one', async () => {
    const gone = await newMember(owner.headers, tenant.id, 'admin')
    const old = await invitationTokenFor(gone.person.email)
    await call('DELETE', `/api/tenants/${tenant.id}/members/${gone.membershipId}`, { headers: owner.headers })
    expect((await accept(old, {}, gone.headers)).body).toEqual(refusal(409, 'INVITATION_ALREADY_ACCEPTED'))
    await askToInvite(owner.headers, tenant.id, { email: gone.person.email })
    const fresh = await invitationTokenFor(gone.person.email)
    // The token they had for the tenant ended with the membership.
    expect((await accept(fresh, {}, await asPerson(gone.person, client))).body).toEqual(JOINED)
    expect(await memberOf(gone.person)).toMatchObject({ role: 'member', status: 'ACTIVE' })
  })
})
