import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expireInvitationsJob } from '../../src/invitations/expiry.ts'
import { type ApiResponse, createSignedInUser, logIn } from '../account/people.ts'
import { collide, countDeadlocks, type LockStatement, whileLocked } from '../support/locks.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'
import { type Host, mailedToken, type SentInvitation, unusedAddress } from './hosts.ts'
import { createHost, findInvitation, findUser, getInvitation, membershipsOf } from './invitation-api.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

/** Blocks invitations at the insert of the mail, their last statement. */
const MAIL: LockStatement = { statement: 'lock table mail_messages in access exclusive mode' }

const newAddresses = (count: number) => Array.from({ length: count }, unusedAddress)
const tenantPath = ({ tenant }: Host, path: string) => `/api/tenants/${tenant.id}${path}`
const invite = (host: Host, email: string) => host.user.call('POST', tenantPath(host, '/invitations'), { email })
const inviteAll = (host: Host, emails: string[]) =>
  host.user.call('POST', tenantPath(host, '/invitations/bulk'), {
    invitations: emails.map((email) => ({ email })),
  })
const deleteTenant = (host: Host) => host.user.call('DELETE', tenantPath(host, ''))

/** The invitation is open, the placeholder account exists, and it is INVITED in that tenant only. */
async function expectInvited({ tenant }: Host, { id, email }: { id: string; email: string }): Promise<void> {
  const user = await findUser(service, email)
  expect(user).toMatchObject({ email, email_verified: false, password_hash: null })
  expect(await findInvitation(service, id)).toMatchObject({ status: 'PENDING', user_id: user?.id })
  expect(await membershipsOf(service, user?.id ?? '')).toMatchObject([
    { tenant_id: tenant.id, role: 'member', status: 'INVITED' },
  ])
}

const twoHosts = async () => [await createHost(service), await createHost(service)] as const

describe('a person invited by one tenant, while another tenant invites them', () => {
  const memberOf = async ({ email }: SentInvitation) => {
    const [member] = await membershipsOf(service, (await findUser(service, email))?.id ?? '')
    return member?.id ?? ''
  }
  const expireNow = async ({ id, email }: SentInvitation) => {
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
    expect((await host.user.call('DELETE', tenantPath(host, path))).status).toBe(200)

  test.each<[string, string, (host: Host, invited: SentInvitation) => Promise<() => Promise<void>>]>([
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
    const end = await prepare(first, invited)
    const { email } = invited
    const [answer] = await collide(service, MAIL, [() => invite(other, email), end])
    expect(answer).toMatchObject({ status: 201, body: { email, status: 'PENDING' } })
    await expectInvited(other, { id: String(answer.body.id), email })
    expect((await findInvitation(service, invited.id))?.status ?? 'gone').toBe(outcome)
    const link = await getInvitation(service, await mailedToken(service, email))
    expect(link).toMatchObject({ status: 200, body: { tenant: { id: other.tenant.id }, hasAccount: false } })
  })

  test('is invited although the placeholder account is deleted between the read and the lock', async () => {
    const [first, other] = await twoHosts()
    const [invited, neighbor] = [await first.invite(), await first.invite()]
    const before = await findUser(service, invited.email)
    // The deletion of the tenant deletes placeholder accounts in order of creation, and waits at the second.
    const hold = { statement: 'select from users where email = $1 for update', values: [neighbor.email] }
    const [deleted, answer] = await collide(service, hold, [
      () => deleteTenant(first),
      () => invite(other, invited.email),
    ])
    expect([deleted.status, answer.status]).toEqual([200, 201])
    await expectInvited(other, { id: String(answer.body.id), email: invited.email })
    expect((await findUser(service, invited.email))?.id).not.toBe(before?.id)
    expect(await findUser(service, neighbor.email)).toBeUndefined()
  })

  test.runIf(FULL)('stays invited under random interleaving', async () => {
    for (let round = 0; round < 3; round++) {
      const [first, other] = await twoHosts()
      const emails = newAddresses(15)
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

const resultsOf = ({ body }: ApiResponse) => body.results as Result[]

test.runIf(FULL)('four tenants invite the same 25 people concurrently, each in another order', async () => {
  const hosts = await Promise.all([1, 2, 3, 4].map(() => createHost(service)))
  const emails = newAddresses(25)
  const before = await countDeadlocks(service)
  const rotate = (by: number) => [...emails.slice(by), ...emails.slice(0, by)]
  const answers = await Promise.all(
    hosts.map((host, index) => inviteAll(host, index % 2 ? rotate(index * 6).reverse() : rotate(index * 6))),
  )
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 200, body: { created: 25, failed: 0 } })
  }
  const tenants = hosts.map(({ tenant }) => tenant.id).sort()
  for (const email of emails) {
    const memberships = await membershipsOf(service, (await findUser(service, email))?.id ?? '')
    expect(memberships.map(({ tenant_id }) => tenant_id).sort()).toEqual(tenants)
    expect(memberships.every(({ status }) => status === 'INVITED')).toBe(true)
  }
  // No transaction had to be retried.
  expect(await countDeadlocks(service)).toBe(before)
})

test('a bulk invitation does not block the sign-in of the invited people', async () => {
  const host = await createHost(service)
  const somebody = await createSignedInUser(service)
  const { bulk, signedIn } = await whileLocked(service, MAIL, async (waitFor) => {
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

test('the results of a bulk invitation are in the order of the request', async () => {
  const host = await createHost(service)
  const [first, second, third] = newAddresses(3).sort()
  const rows = [
    { email: third, role: 'admin' },
    { email: 'no address' },
    { email: second },
    { email: first },
    { email: ` ${second?.toUpperCase()} `, role: 'admin' },
    { email: 7 },
    { email: host.user.email },
  ]
  const answer = await host.user.call('POST', tenantPath(host, '/invitations/bulk'), {
    invitations: rows,
  })
  expect(answer).toMatchObject({ status: 200, body: { created: 3, failed: 4 } })
  expect(resultsOf(answer).map(({ email }) => email)).toEqual(rows.map(({ email }) => email))
  // Of two rows for one address, the first succeeds.
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
