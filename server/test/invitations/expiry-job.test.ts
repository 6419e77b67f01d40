import { afterAll, beforeAll, expect, test } from 'vitest'
import { expireInvitationsJob } from '../../src/invitations/expiry.ts'
import { insertUser, listMailTo } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { mailedToken, NEW_USER } from './hosts.ts'
import {
  acceptInvitation,
  callTenantRoute,
  createHost,
  DAY_MS,
  findInvitation,
  findUser,
  getInvitation,
  listAuditEntries,
  membershipsOf,
} from './invitation-api.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

const runJob = () => expireInvitationsJob.run(service.ctx, {})
const readTables = async () => {
  const { db } = service.ctx
  const tables = ['users', 'memberships', 'invitations', 'audit_entries', 'mail_messages'] as const
  return Promise.all(tables.map((table) => db.selectFrom(table).selectAll().orderBy('id').execute()))
}

test('the job expires overdue invitations only', async () => {
  const host = await createHost(service)
  const known = await insertUser(service)
  const overdue = await host.invite()
  const overdueKnown = await host.invite({ email: known.email })
  service.advance(4 * DAY_MS)
  const { body } = await callTenantRoute(service, host, {
    method: 'POST',
    path: '/invitations',
    body: { email: 'someone-later@people.test' },
  })
  service.advance(3 * DAY_MS + 1_000)
  const [placeholder, waiting] = [
    await findUser(service, overdue.email),
    await findUser(service, 'someone-later@people.test'),
  ]
  const mails = await listMailTo(service, overdue.email)
  const [[membership], [membershipOfKnown]] = [
    await membershipsOf(service, placeholder?.id ?? ''),
    await membershipsOf(service, known.id),
  ]

  await runJob()
  for (const { id } of [overdue, overdueKnown]) {
    expect(await findInvitation(service, id)).toMatchObject({ status: 'EXPIRED' })
  }
  expect(await findInvitation(service, String(body.id))).toMatchObject({ status: 'PENDING' })
  // The placeholder account is deleted, the account is not.
  expect(await findUser(service, overdue.email)).toBeUndefined()
  expect(await findUser(service, known.email)).toBeDefined()
  expect(await membershipsOf(service, known.id)).toEqual([])
  expect(await membershipsOf(service, waiting?.id ?? '')).toMatchObject([{ status: 'INVITED' }])
  expect(await listMailTo(service, overdue.email)).toEqual(mails)

  const entries = await listAuditEntries(service, host, 'invitation.expired')
  // The entries of a tenant identify people by the id of the membership.
  const expected = [
    [overdue, membership?.id],
    [overdueKnown, membershipOfKnown?.id],
  ] as const
  expect(entries).toHaveLength(2)
  for (const [{ id, email }, userId] of expected) {
    expect(entries).toContainEqual(
      expect.objectContaining({
        actor_kind: 'system',
        actor_id: null,
        user_id: userId,
        request_id: null,
        details: { invitationId: id, before: { status: 'PENDING' }, after: { status: 'EXPIRED' } },
        personal: { email },
      }),
    )
  }
})

test('the job is idempotent, also on two nodes concurrently', async () => {
  const host = await createHost(service)
  for (let count = 0; count < 5; count++) await host.invite()
  service.advance(8 * DAY_MS)
  await Promise.all([runJob(), runJob()])
  expect(await listAuditEntries(service, host, 'invitation.expired')).toHaveLength(5)
  const before = await readTables()
  await runJob()
  expect(await readTables()).toEqual(before)
})

test('one run expires more invitations than one batch holds', async () => {
  const host = await createHost(service)
  const invitations = Array.from({ length: 200 }, (_, row) => ({ email: `someone-${row}@people.test` }))
  for (const half of [invitations, [{ email: 'someone-more@people.test' }]]) {
    const { body } = await host.user.call('POST', `/api/tenants/${host.tenant.id}/invitations/bulk`, {
      invitations: half,
    })
    expect(body).toMatchObject({ created: half.length, failed: 0 })
  }
  service.advance(8 * DAY_MS)
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

test('an address whose placeholder account was deleted can be invited again and join', async () => {
  const host = await createHost(service)
  const { email } = await host.invite()
  service.advance(8 * DAY_MS)
  await runJob()
  await callTenantRoute(service, host, { method: 'POST', path: '/invitations', body: { email } })
  const answer = await acceptInvitation(service, await mailedToken(service, email), { body: NEW_USER })
  expect(answer.status).toBe(200)
})

test('a placeholder account with another open invitation is kept, and that link works', async () => {
  const [host, other] = [await createHost(service), await createHost(service)]
  const { email } = await host.invite()
  service.advance(5 * DAY_MS)
  await callTenantRoute(service, other, { method: 'POST', path: '/invitations', body: { email } })
  const token = await mailedToken(service, email)
  service.advance(3 * DAY_MS)
  await runJob()
  const placeholder = await findUser(service, email)
  expect(await membershipsOf(service, placeholder?.id ?? '')).toMatchObject([{ tenant_id: other.tenant.id }])
  expect((await getInvitation(service, token)).status).toBe(200)
})

test('an invitation that expires when the address is invited again is audited once', async () => {
  const host = await createHost(service)
  const { email, id } = await host.invite()
  service.advance(8 * DAY_MS)
  await callTenantRoute(service, host, { method: 'POST', path: '/invitations', body: { email } })
  expect(await findInvitation(service, id)).toMatchObject({ status: 'EXPIRED' })
  await runJob()
  expect(await listAuditEntries(service, host, 'invitation.expired')).toHaveLength(1)
})
