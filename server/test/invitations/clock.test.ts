import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { failure, mailTo, newSomebody, type Somebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { authorize, signIn, startWorld } from '../support/world.ts'
import { accept, callNow, DAY, invitationsIn, look, membersIn, openHouse } from './desk.ts'
import { type Host, type Invited, mailedToken, NEWCOMER } from './guests.ts'

// No job runs here: what is over is over by the clock alone.
const service: TestService = await startWorld()
afterAll(() => service.close())

let host: Host
let invited: Invited
let person: Somebody
beforeEach(async () => {
  host = await openHouse(service)
  person = await newSomebody(service)
  invited = await host.invite({ email: person.email, role: 'admin' })
})

const below = `/invitations`
const now = (path: string, method = 'GET', body?: unknown) =>
  callNow(service, host, { path, method, ...(body !== undefined && { body }) })
const expired = failure(410, 'INVITATION_EXPIRED')

/** What the invited person sees among their own tenants. */
async function ownMemberships() {
  const cookie = await signIn(service.url, person.email)
  const response = await fetch(`${service.url}/api/users/me`, { headers: { cookie } })
  return ((await response.json()) as { memberships: unknown[] }).memberships
}

test('an invitation is good to its last second', async () => {
  service.advance(7 * DAY - 30_000)
  expect((await look(service, invited.token)).status).toBe(200)
  expect(await invitationsIn(service, host, 'PENDING')).toEqual([invited.id])
  expect((await membersIn(service, host, '&status=INVITED')).total).toBe(1)
  expect(await ownMemberships()).toHaveLength(1)
})

describe('once its time is over', () => {
  beforeEach(() => service.advance(7 * DAY + 1_000))

  test('nobody accepts it, neither the person it is for nor anybody new', async () => {
    const { tokens } = await person.signInElsewhere()
    expect(await look(service, invited.token)).toMatchObject(expired)
    expect(await accept(service, invited.token, { body: NEWCOMER })).toMatchObject(expired)
    expect(await accept(service, invited.token, { as: { ...person, tokens } })).toMatchObject(expired)
  })

  test('it is not pending any more, but expired', async () => {
    expect(await invitationsIn(service, host, 'PENDING')).toEqual([])
    expect(await invitationsIn(service, host, 'EXPIRED')).toEqual([invited.id])
    const { body } = await now(`${below}?status=EXPIRED`)
    expect(body.invitations).toMatchObject([{ id: invited.id, status: 'EXPIRED', email: person.email }])
  })

  test('the INVITED member is gone from every list and every count', async () => {
    for (const query of ['', '&role=admin', '&status=INVITED', '&status=INVITED&role=admin']) {
      const { members, total } = await membersIn(service, host, query)
      expect(members.map(({ user }) => user.email)).not.toContain(person.email)
      expect(total).toBe(members.length)
    }
    expect(await ownMemberships()).toEqual([])
    expect((await now('')).body).toMatchObject({ memberCount: 1 })
  })

  test('the INVITED member can neither be changed nor removed', async () => {
    const [row] = await service.ctx.db
      .selectFrom('memberships')
      .select('id')
      .where('user_id', '=', person.id)
      .execute()
    const path = `/members/${row?.id}`
    for (const body of [{ role: 'member' }, { status: 'ACTIVE' }]) {
      expect(await now(path, 'PATCH', body)).toMatchObject(failure(404, 'MEMBER_NOT_FOUND'))
    }
    expect(await now(path, 'DELETE')).toMatchObject(failure(404, 'MEMBER_NOT_FOUND'))
  })

  test('it is neither sent again nor revoked', async () => {
    const settled = failure(409, 'INVITATION_NOT_PENDING')
    expect(await now(`${below}/${invited.id}/resend`, 'POST')).toMatchObject(settled)
    expect(await now(`${below}/${invited.id}`, 'DELETE')).toMatchObject(settled)
    expect(await mailTo(service, person.email)).toHaveLength(1)
  })

  test('it does not stand in the way of a new one, whose role and time are its own', async () => {
    const again = await now(below, 'POST', { email: person.email, expiresInDays: 1 })
    expect(again.status).toBe(201)
    expect(again.body).toMatchObject({ email: person.email, role: 'member', status: 'PENDING' })
    const token = await mailedToken(service, person.email)
    expect(token).not.toBe(invited.token)
    expect(await look(service, invited.token)).toMatchObject(expired)
    expect((await look(service, token)).body).toMatchObject({ role: 'member' })
    expect(await invitationsIn(service, host, 'PENDING')).toEqual([again.body.id])
    expect(await invitationsIn(service, host, 'EXPIRED')).toEqual([invited.id])
    const { members } = await membersIn(service, host, '&status=INVITED')
    expect(members).toMatchObject([{ role: 'member', user: { email: person.email } }])
    expect(await ownMemberships()).toMatchObject([{ role: 'member', status: 'INVITED' }])
  })

  test('it gives no token for the tenant', async () => {
    const cookie = await signIn(service.url, person.email)
    const { answer } = await authorize(service.url, cookie, { tenant: host.tenant.slug, prompt: 'none' })
    expect(answer.code).toBeUndefined()
    expect(answer.error).toBeDefined()
  })
})

test('sending again gives as many days anew as at first', async () => {
  service.advance(6 * DAY)
  expect((await now(`${below}/${invited.id}/resend`, 'POST')).status).toBe(200)
  const token = await mailedToken(service, person.email)
  service.advance(6 * DAY)
  expect((await look(service, token)).status).toBe(200)
  expect((await membersIn(service, host, '&status=INVITED')).total).toBe(1)
  expect(await ownMemberships()).toHaveLength(1)
  service.advance(DAY + 1_000)
  expect(await look(service, token)).toMatchObject(expired)
  expect((await membersIn(service, host, '&status=INVITED')).total).toBe(0)
})

test('how many days it is good for is what was asked for', async () => {
  const { body } = await now(below, 'POST', { email: 'someone-short@people.test', expiresInDays: 1 })
  const token = await mailedToken(service, 'someone-short@people.test')
  const resent = await now(`${below}/${body.id}/resend`, 'POST')
  expect(resent.status).toBe(200)
  expect((await look(service, token)).status).toBe(404)
  const fresh = await mailedToken(service, 'someone-short@people.test')
  service.advance(DAY - 30_000)
  expect((await look(service, fresh)).status).toBe(200)
  service.advance(31_000)
  expect(await look(service, fresh)).toMatchObject(expired)
})
