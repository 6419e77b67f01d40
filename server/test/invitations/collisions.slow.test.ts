import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expireInvitationsJob } from '../../src/invitations/expiry.ts'
import { type Answer, logIn, newSomebody } from '../account/people.ts'
import { collide, deadlocksIn, type Hold, whileHeld } from '../support/locks.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startWorld } from '../support/world.ts'
import { findInvitation, findUser, look, membershipsOf, openHouse } from './desk.ts'
import { type Host, type Invited, mailedToken, unusedAddress } from './guests.ts'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

/** Whoever invites is held up at the mail, which is written last. */
const MAIL: Hold = { statement: 'lock table mail_messages in access exclusive mode' }

const addresses = (many: number) => Array.from({ length: many }, unusedAddress)
const below = ({ tenant }: Host, path: string) => `/api/tenants/${tenant.id}${path}`
const invite = (host: Host, email: string) =>
  host.somebody.call('POST', below(host, '/invitations'), { email })
const inviteAll = (host: Host, emails: string[]) =>
  host.somebody.call('POST', below(host, '/invitations/bulk'), {
    invitations: emails.map((email) => ({ email })),
  })
const deleteTenant = (host: Host) => host.somebody.call('DELETE', below(host, ''))

/** The invitation is open, its person is there, and they are INVITED in that tenant alone. */
async function expectInvited({ tenant }: Host, { id, email }: { id: string; email: string }): Promise<void> {
  const user = await findUser(service, email)
  expect(user).toMatchObject({ email, email_verified: false, password_hash: null })
  expect(await findInvitation(service, id)).toMatchObject({ status: 'PENDING', user_id: user?.id })
  expect(await membershipsOf(service, user?.id ?? '')).toMatchObject([
    { tenant_id: tenant.id, role: 'member', status: 'INVITED' },
  ])
}

const twoHosts = async () => [await openHouse(service), await openHouse(service)] as const

describe('who was invited by one tenant, and is just being invited by another', () => {
  const memberOf = async ({ email }: Invited) => {
    const [member] = await membershipsOf(service, (await findUser(service, email))?.id ?? '')
    return member?.id ?? ''
  }
  const expireNow = async ({ id, email }: Invited) => {
    const { db } = service.ctx
    const past = new Date(service.ctx.now().getTime() - 60_000)
    const user = await findUser(service, email)
    await db.updateTable('invitations').set({ expires_at: past }).where('id', '=', id).execute()
    await db
      .updateTable('memberships')
      .set({ invited_until: past })
      .where('user_id', '=', user?.id ?? '')
      .execute()
  }
  const send = (host: Host, path: string) => async () =>
    expect((await host.somebody.call('DELETE', below(host, path))).status).toBe(200)

  test.each<[string, string, (host: Host, invited: Invited) => Promise<() => Promise<void>>]>([
    ['the first revokes', 'REVOKED', async (host, { id }) => send(host, `/invitations/${id}`)],
    [
      'the first removes them as a member',
      'REVOKED',
      async (host, invited) => send(host, `/members/${await memberOf(invited)}`),
    ],
    ['the first tenant is deleted', 'gone', async (host) => send(host, '')],
    [
      'the first invitation expires',
      'EXPIRED',
      async (_, invited) => {
        await expireNow(invited)
        return () => expireInvitationsJob.run(service.ctx, {})
      },
    ],
  ])('stays invited by the other when %s', async (_, outcome, prepare) => {
    const [first, other] = await twoHosts()
    const invited = await first.invite()
    const letGo = await prepare(first, invited)
    const { email } = invited
    const [answer] = await collide(service, MAIL, [() => invite(other, email), letGo])
    expect(answer).toMatchObject({ status: 201, body: { email, status: 'PENDING' } })
    await expectInvited(other, { id: String(answer.body.id), email })
    expect((await findInvitation(service, invited.id))?.status ?? 'gone').toBe(outcome)
    const link = await look(service, await mailedToken(service, email))
    expect(link).toMatchObject({ status: 200, body: { tenant: { id: other.tenant.id }, hasAccount: false } })
  })

  test('is invited though they were found just before they were forgotten', async () => {
    const [first, other] = await twoHosts()
    const [invited, neighbour] = [await first.invite(), await first.invite()]
    const before = await findUser(service, invited.email)
    // The tenant's deletion forgets its people in the order in which they came, and stops at the second.
    const hold = { statement: 'select from users where email = $1 for update', values: [neighbour.email] }
    const [deleted, answer] = await collide(service, hold, [
      () => deleteTenant(first),
      () => invite(other, invited.email),
    ])
    expect([deleted.status, answer.status]).toEqual([200, 201])
    await expectInvited(other, { id: String(answer.body.id), email: invited.email })
    expect((await findUser(service, invited.email))?.id).not.toBe(before?.id)
    expect(await findUser(service, neighbour.email)).toBeUndefined()
  })

  test.runIf(FULL)('stays invited however the two happen to meet', async () => {
    for (let round = 0; round < 3; round++) {
      const [first, other] = await twoHosts()
      const emails = addresses(15)
      expect((await inviteAll(first, emails)).body).toMatchObject({ created: 15 })
      const [answer, deleted] = await Promise.all([
        inviteAll(other, emails),
        sleep(round * 30).then(() => deleteTenant(first)),
      ])
      expect(deleted.status).toBe(200)
      expect(answer).toMatchObject({ status: 200, body: { created: 15, failed: 0 } })
      for (const { email, invitation } of resultsOf(answer)) {
        await expectInvited(other, { id: invitation?.id ?? '', email })
      }
    }
  })
})

interface Result {
  email: string
  statusCode: number
  error?: string
  invitation?: { id: string; email: string; role: string }
}

const resultsOf = ({ body }: Answer) => body.results as Result[]

test.runIf(FULL)('four tenants invite the same 25 people at once, each in another order', async () => {
  const hosts = await Promise.all([1, 2, 3, 4].map(() => openHouse(service)))
  const emails = addresses(25)
  const before = await deadlocksIn(service)
  const turned = (by: number) => [...emails.slice(by), ...emails.slice(0, by)]
  const answers = await Promise.all(
    hosts.map((host, index) => inviteAll(host, index % 2 ? turned(index * 6).reverse() : turned(index * 6))),
  )
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 200, body: { created: 25, failed: 0 } })
  }
  const tenants = hosts.map(({ tenant }) => tenant.id).sort()
  for (const email of emails) {
    const places = await membershipsOf(service, (await findUser(service, email))?.id ?? '')
    expect(places.map(({ tenant_id }) => tenant_id).sort()).toEqual(tenants)
    expect(places.every(({ status }) => status === 'INVITED')).toBe(true)
  }
  // Nobody had to begin anew.
  expect(await deadlocksIn(service)).toBe(before)
})

test('nobody is kept from signing in by being invited with many others', async () => {
  const host = await openHouse(service)
  const somebody = await newSomebody(service)
  const { bulk, signedIn } = await whileHeld(service, MAIL, async (waitFor) => {
    let isOver = false
    const inviting = inviteAll(host, [somebody.email, `z-${unusedAddress()}`]).finally(() => {
      isOver = true
    })
    await waitFor(1)
    const { status } = await Promise.race([
      logIn(service.url, somebody.email, PASSWORD),
      sleep(10_000, { status: 'held up' }),
    ])
    return { bulk: inviting, signedIn: { status, isOver } }
  })
  expect(signedIn).toEqual({ status: 200, isOver: false })
  expect(await bulk).toMatchObject({ status: 200, body: { created: 2 } })
})

test('the results of many invitations come in the order in which they were asked for', async () => {
  const host = await openHouse(service)
  const [first, second, third] = addresses(3).sort()
  const rows = [
    { email: third, role: 'admin' },
    { email: 'no address' },
    { email: second },
    { email: first },
    { email: ` ${second?.toUpperCase()} `, role: 'admin' },
    { email: 7 },
    { email: host.somebody.email },
  ]
  const answer = await host.somebody.call('POST', below(host, '/invitations/bulk'), { invitations: rows })
  expect(answer).toMatchObject({ status: 200, body: { created: 3, failed: 4 } })
  expect(resultsOf(answer).map(({ email }) => email)).toEqual(rows.map(({ email }) => email))
  // Of two rows for one address the first counts.
  expect(
    resultsOf(answer).map(({ statusCode, error, invitation }) => [
      statusCode,
      error ?? [invitation?.email, invitation?.role],
    ]),
  ).toEqual([
    [201, [third, 'admin']],
    [422, 'VALIDATION_FAILED'],
    [201, [second, 'member']],
    [201, [first, 'member']],
    [409, 'INVITATION_EXISTS'],
    [422, 'VALIDATION_FAILED'],
    [409, 'ALREADY_MEMBER'],
  ])
})
