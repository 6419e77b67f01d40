import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createSignedInUser, errorReply, listMailTo, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { authorize, signIn, startDemoService } from '../support/world.ts'
import { type Host, mailedToken, NEW_USER, type SentInvitation } from './hosts.ts'
import {
  acceptInvitation,
  callTenantRoute,
  createHost,
  DAY_MS,
  getInvitation,
  listInvitationIds,
  listMembers,
} from './invitation-api.ts'

// No job runs here: expiry depends on the clock only.
const service: TestService = await startDemoService()
afterAll(() => service.close())

let host: Host
let invited: SentInvitation
let person: TestUser
beforeEach(async () => {
  host = await createHost(service)
  person = await createSignedInUser(service)
  invited = await host.invite({ email: person.email, role: 'admin' })
})

const INVITATIONS = `/invitations`
const callTenant = (path: string, method = 'GET', body?: unknown) =>
  callTenantRoute(service, host, { path, method, ...(body !== undefined && { body }) })
const expired = errorReply(410, 'INVITATION_EXPIRED')

/** The memberships in the profile of the invited person. */
async function ownMemberships() {
  const cookie = await signIn(service.url, person.email)
  const response = await fetch(`${service.url}/api/users/me`, { headers: { cookie } })
  return ((await response.json()) as { memberships: unknown[] }).memberships
}

test('an invitation is valid until its last second', async () => {
  service.advance(7 * DAY_MS - 30_000)
  expect((await getInvitation(service, invited.token)).status).toBe(200)
  expect(await listInvitationIds(service, host, 'PENDING')).toEqual([invited.id])
  expect((await listMembers(service, host, '&status=INVITED')).total).toBe(1)
  expect(await ownMemberships()).toHaveLength(1)
})

describe('after its expiry', () => {
  beforeEach(() => service.advance(7 * DAY_MS + 1_000))

  test('nobody can accept it, neither the invited person nor a new user', async () => {
    const { tokens } = await person.signInAgain()
    expect(await getInvitation(service, invited.token)).toMatchObject(expired)
    expect(await acceptInvitation(service, invited.token, { body: NEW_USER })).toMatchObject(expired)
    expect(await acceptInvitation(service, invited.token, { as: { ...person, tokens } })).toMatchObject(expired)
  })

  test('it is listed as EXPIRED instead of PENDING', async () => {
    expect(await listInvitationIds(service, host, 'PENDING')).toEqual([])
    expect(await listInvitationIds(service, host, 'EXPIRED')).toEqual([invited.id])
    const { body } = await callTenant(`${INVITATIONS}?status=EXPIRED`)
    expect(body.invitations).toMatchObject([{ id: invited.id, status: 'EXPIRED', email: person.email }])
  })

  test('the INVITED member is gone from every list and every count', async () => {
    for (const query of ['', '&role=admin', '&status=INVITED', '&status=INVITED&role=admin']) {
      const { members, total } = await listMembers(service, host, query)
      expect(members.map(({ user }) => user.email)).not.toContain(person.email)
      expect(total).toBe(members.length)
    }
    expect(await ownMemberships()).toEqual([])
    expect((await callTenant('')).body).toMatchObject({ memberCount: 1 })
  })

  test('the INVITED member can neither be changed nor removed', async () => {
    const [row] = await service.ctx.db.selectFrom('memberships').select('id').where('user_id', '=', person.id).execute()
    const path = `/members/${row?.id}`
    for (const body of [{ role: 'member' }, { status: 'ACTIVE' }]) {
      expect(await callTenant(path, 'PATCH', body)).toMatchObject(errorReply(404, 'MEMBER_NOT_FOUND'))
    }
    expect(await callTenant(path, 'DELETE')).toMatchObject(errorReply(404, 'MEMBER_NOT_FOUND'))
  })

  test('it can be neither resent nor revoked', async () => {
    const settled = errorReply(409, 'INVITATION_NOT_PENDING')
    expect(await callTenant(`${INVITATIONS}/${invited.id}/resend`, 'POST')).toMatchObject(settled)
    expect(await callTenant(`${INVITATIONS}/${invited.id}`, 'DELETE')).toMatchObject(settled)
    expect(await listMailTo(service, person.email)).toHaveLength(1)
  })

  test('it does not prevent a new invitation with its own role and expiry', async () => {
    const again = await callTenant(INVITATIONS, 'POST', { email: person.email, expiresInDays: 1 })
    expect(again.status).toBe(201)
    expect(again.body).toMatchObject({ email: person.email, role: 'member', status: 'PENDING' })
    const token = await mailedToken(service, person.email)
    expect(token).not.toBe(invited.token)
    expect(await getInvitation(service, invited.token)).toMatchObject(expired)
    expect((await getInvitation(service, token)).body).toMatchObject({ role: 'member' })
    expect(await listInvitationIds(service, host, 'PENDING')).toEqual([again.body.id])
    expect(await listInvitationIds(service, host, 'EXPIRED')).toEqual([invited.id])
    const { members } = await listMembers(service, host, '&status=INVITED')
    expect(members).toMatchObject([{ role: 'member', user: { email: person.email } }])
    expect(await ownMemberships()).toMatchObject([{ role: 'member', status: 'INVITED' }])
  })

  test('it grants no token for the tenant', async () => {
    const cookie = await signIn(service.url, person.email)
    const { answer } = await authorize(service.url, cookie, { tenant: host.tenant.slug, prompt: 'none' })
    expect(answer.code).toBeUndefined()
    expect(answer.error).toBeDefined()
  })
})

test('resending restarts the original lifetime', async () => {
  service.advance(6 * DAY_MS)
  expect((await callTenant(`${INVITATIONS}/${invited.id}/resend`, 'POST')).status).toBe(200)
  const token = await mailedToken(service, person.email)
  service.advance(6 * DAY_MS)
  expect((await getInvitation(service, token)).status).toBe(200)
  expect((await listMembers(service, host, '&status=INVITED')).total).toBe(1)
  expect(await ownMemberships()).toHaveLength(1)
  service.advance(DAY_MS + 1_000)
  expect(await getInvitation(service, token)).toMatchObject(expired)
  expect((await listMembers(service, host, '&status=INVITED')).total).toBe(0)
})

test('expiresInDays sets the lifetime', async () => {
  const { body } = await callTenant(INVITATIONS, 'POST', {
    email: 'someone-short@people.test',
    expiresInDays: 1,
  })
  const token = await mailedToken(service, 'someone-short@people.test')
  const resent = await callTenant(`${INVITATIONS}/${body.id}/resend`, 'POST')
  expect(resent.status).toBe(200)
  expect((await getInvitation(service, token)).status).toBe(404)
  const fresh = await mailedToken(service, 'someone-short@people.test')
  service.advance(DAY_MS - 30_000)
  expect((await getInvitation(service, fresh)).status).toBe(200)
  service.advance(31_000)
  expect(await getInvitation(service, fresh)).toMatchObject(expired)
})
