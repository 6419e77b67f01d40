import { afterAll, beforeAll, expect, test } from 'vitest'
import { expireInvitationsJob } from '../../src/invitations/expiry.ts'
import { addPerson, mailTo } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import {
  accept,
  callNow,
  DAY,
  entriesIn,
  findInvitation,
  findUser,
  look,
  membershipsOf,
  openHouse,
} from './desk.ts'
import { mailedToken, NEWCOMER } from './guests.ts'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

const runJob = () => expireInvitationsJob.run(service.ctx, {})
const everything = async () => {
  const { db } = service.ctx
  const tables = ['users', 'memberships', 'invitations', 'audit_entries', 'mail_messages'] as const
  return Promise.all(tables.map((table) => db.selectFrom(table).selectAll().orderBy('id').execute()))
}

test('the job settles what is overdue, and nothing else', async () => {
  const host = await openHouse(service)
  const known = await addPerson(service)
  const overdue = await host.invite()
  const overdueKnown = await host.invite({ email: known.email })
  service.advance(4 * DAY)
  const { body } = await callNow(service, host, {
    method: 'POST',
    path: '/invitations',
    body: { email: 'someone-later@people.test' },
  })
  service.advance(3 * DAY + 1_000)
  const [placeholder, waiting] = [
    await findUser(service, overdue.email),
    await findUser(service, 'someone-later@people.test'),
  ]
  const mails = await mailTo(service, overdue.email)
  const [[place], [placeOfKnown]] = [
    await membershipsOf(service, placeholder?.id ?? ''),
    await membershipsOf(service, known.id),
  ]

  await runJob()
  for (const { id } of [overdue, overdueKnown]) {
    expect(await findInvitation(service, id)).toMatchObject({ status: 'EXPIRED' })
  }
  expect(await findInvitation(service, String(body.id))).toMatchObject({ status: 'PENDING' })
  // Who was here for the invitation alone is forgotten; who has an account is not.
  expect(await findUser(service, overdue.email)).toBeUndefined()
  expect(await findUser(service, known.email)).toBeDefined()
  expect(await membershipsOf(service, known.id)).toEqual([])
  expect(await membershipsOf(service, waiting?.id ?? '')).toMatchObject([{ status: 'INVITED' }])
  expect(await mailTo(service, overdue.email)).toEqual(mails)

  const entries = await entriesIn(service, host, 'invitation.expired')
  // The tenant never knew them by another id than that of the membership.
  const expected = [
    [overdue, place?.id],
    [overdueKnown, placeOfKnown?.id],
  ] as const
  expect(entries).toHaveLength(2)
  for (const [{ id, email }, userId] of expected) {
    expect(entries).toContainEqual(
      expect.objectContaining({
        ...{ actor_kind: 'system', actor_id: null, user_id: userId, request_id: null },
        details: { invitationId: id, before: { status: 'PENDING' }, after: { status: 'EXPIRED' } },
        personal: { email },
      }),
    )
  }
})

test('the job run twice, or by two nodes at once, changes nothing more', async () => {
  const host = await openHouse(service)
  for (let count = 0; count < 5; count++) await host.invite()
  service.advance(8 * DAY)
  await Promise.all([runJob(), runJob()])
  expect(await entriesIn(service, host, 'invitation.expired')).toHaveLength(5)
  const before = await everything()
  await runJob()
  expect(await everything()).toEqual(before)
})

test('more than fit into one batch are settled in one run', async () => {
  const host = await openHouse(service)
  const invitations = Array.from({ length: 200 }, (_, row) => ({ email: `someone-${row}@people.test` }))
  for (const half of [invitations, [{ email: 'someone-more@people.test' }]]) {
    const { body } = await host.somebody.call('POST', `/api/tenants/${host.tenant.id}/invitations/bulk`, {
      invitations: half,
    })
    expect(body).toMatchObject({ created: half.length, failed: 0 })
  }
  service.advance(8 * DAY)
  await runJob()
  const { count } = await service.ctx.db
    .selectFrom('invitations')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('tenant_id', '=', host.tenant.id)
    .where('status', '=', 'EXPIRED')
    .executeTakeFirstOrThrow()
  expect(Number(count)).toBe(201)
  expect(await findUser(service, 'someone-more@people.test')).toBeUndefined()
})

test('what the job has forgotten may be invited again, and comes in', async () => {
  const host = await openHouse(service)
  const { email } = await host.invite()
  service.advance(8 * DAY)
  await runJob()
  await callNow(service, host, { method: 'POST', path: '/invitations', body: { email } })
  const answer = await accept(service, await mailedToken(service, email), { body: NEWCOMER })
  expect(answer.status).toBe(200)
})

test('who is invited elsewhere as well stays for that, and the other link is good', async () => {
  const [host, other] = [await openHouse(service), await openHouse(service)]
  const { email } = await host.invite()
  service.advance(5 * DAY)
  await callNow(service, other, { method: 'POST', path: '/invitations', body: { email } })
  const token = await mailedToken(service, email)
  service.advance(3 * DAY)
  await runJob()
  const placeholder = await findUser(service, email)
  expect(await membershipsOf(service, placeholder?.id ?? '')).toMatchObject([{ tenant_id: other.tenant.id }])
  expect((await look(service, token)).status).toBe(200)
})

test('an invitation that was expired when the same address was invited anew is written down once', async () => {
  const host = await openHouse(service)
  const { email, id } = await host.invite()
  service.advance(8 * DAY)
  await callNow(service, host, { method: 'POST', path: '/invitations', body: { email } })
  expect(await findInvitation(service, id)).toMatchObject({ status: 'EXPIRED' })
  await runJob()
  expect(await entriesIn(service, host, 'invitation.expired')).toHaveLength(1)
})
