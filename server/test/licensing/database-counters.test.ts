import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { insertUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { runSql } from '../tenants/scoped-tenant.ts'
import { insertMembership } from '../tenants/tenant-rows.ts'
import {
  addLicensedMember,
  changeSubscription,
  createLicensedTenant,
  getSeatSummary,
  grant,
  type LicensedTenant,
  listSeatRows,
  requireStatus,
  type TestMember,
} from './licensed-tenant.ts'
import { expectCountersMatch, insertSeat } from './seat-rows.ts'

// The seat counters of subscriptions are maintained by the database, for every writer.

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service?.close())

const execute = (text: string, values: unknown[] = []) => runSql(service.ctx.db, text, values)

describe('the seat counters are correct after a statement that', () => {
  let firm: LicensedTenant
  let holder: TestMember
  beforeEach(async () => {
    firm = await createLicensedTenant(service, { seats: 3 })
    holder = await addLicensedMember(firm)
    await addLicensedMember(firm)
  })

  const RELEASES: [string, () => Promise<unknown>][] = [
    ['deletes a seat', () => execute('delete from seats where user_id = $1', [holder.id])],
    ['deletes a membership', () => execute('delete from memberships where id = $1', [holder.membershipId])],
    ['deletes a user', () => execute('delete from users where id = $1', [holder.id])],
    [
      'suspends a member',
      () => execute(`update memberships set status = 'SUSPENDED' where id = $1`, [holder.membershipId]),
    ],
    ['parks a seat', () => execute(`update seats set status = 'PARKED' where user_id = $1`, [holder.id])],
    [
      'requests the deletion of a user',
      () => execute('update users set deletion_requested_at = now() where id = $1', [holder.id]),
    ],
  ]
  test.each(RELEASES)('%s', async (_, work) => {
    await work()
    await expectCountersMatch(firm)
    expect(await getSeatSummary(firm)).toMatchObject({ quantityAssigned: 1, quantityAvailable: 2 })
  })

  test('deletes all seats or all memberships', async () => {
    await execute('delete from seats where tenant_id = $1', [firm.company.id])
    await expectCountersMatch(firm)
    expect(await getSeatSummary(firm)).toMatchObject({ quantityAssigned: 0, quantityAvailable: 3 })
    const other = await createLicensedTenant(service)
    for (let count = 0; count < 3; count++) await addLicensedMember(other)
    await execute('delete from memberships where tenant_id = $1', [other.company.id])
    await expectCountersMatch(other)
    expect(await getSeatSummary(other)).toMatchObject({ quantityAssigned: 0, quantityAvailable: 5 })
  })

  test.each([
    ['the tenant', () => execute('delete from tenants where id = $1', [firm.company.id])],
    ['the subscription', () => execute('delete from subscriptions where id = $1', [firm.subscriptionId])],
    ['the license type', () => execute('delete from license_types where id = $1', [firm.types.pro])],
    ['the application', () => execute('delete from applications where id = $1', [firm.applicationId])],
  ])('deletes %s, with all dependent subscriptions and seats', async (_, work) => {
    await work()
    await expectCountersMatch(firm)
    expect(await listSeatRows(firm)).toEqual([])
    expect(await execute('select from subscriptions where id = $1', [firm.subscriptionId])).toEqual([])
  })

  test('reserves a seat for an invited user, who then accepts', async () => {
    const guest = await insertUser(service)
    const id = await insertMembership(service, firm.company, guest, { status: 'INVITED' })
    await insertSeat(firm, guest, { status: 'RESERVED' })
    await expectCountersMatch(firm)
    expect(await getSeatSummary(firm)).toMatchObject({ quantityAssigned: 2, quantityAvailable: 0 })
    const text = `update memberships set status = 'ACTIVE', joined_at = now(), invited_until = null where id = $1`
    await execute(text, [id])
    await expectCountersMatch(firm)
    expect(await getSeatSummary(firm)).toMatchObject({ quantityAssigned: 3, quantityAvailable: 0 })
  })

  test('reserves a seat for a user who is disabled before accepting: it is parked until they are enabled', async () => {
    const guest = await insertUser(service)
    const id = await insertMembership(service, firm.company, guest, { status: 'INVITED' })
    await insertSeat(firm, guest, { status: 'RESERVED' })
    await execute('update users set disabled = true where id = $1', [guest.id])
    await execute(`update memberships set status = 'ACTIVE', joined_at = now(), invited_until = null where id = $1`, [
      id,
    ])
    await expectCountersMatch(firm)
    expect(await getSeatSummary(firm)).toMatchObject({ quantityAssigned: 2, quantityAvailable: 1 })
    await execute('update users set disabled = false where id = $1', [guest.id])
    expect(await getSeatSummary(firm)).toMatchObject({ quantityAssigned: 3, quantityAvailable: 0 })
  })

  test('parks a seat, which can then be granted to its holder again', async () => {
    await execute(`update seats set status = 'PARKED' where user_id = $1`, [holder.id])
    await requireStatus(201, grant(firm, holder))
    await expectCountersMatch(firm)
  })

  test('enables a user whose parked seat was reserved for an invitation that has expired', async () => {
    const full = await createLicensedTenant(service, { seats: 1 })
    const worker = await addLicensedMember(full)
    await execute('update users set disabled = true where id = $1', [worker.id])
    const guest = await insertUser(service)
    const invited = await insertMembership(service, full.company, guest, { status: 'INVITED' })
    await insertSeat(full, guest, { status: 'RESERVED' })
    await execute(`update memberships set invited_until = now() - interval '1 hour' where id = $1`, [invited])
    await execute('update users set disabled = false, updated_at = now() where id = $1', [worker.id])
    expect((await listSeatRows(full)).map(({ user_id, status }) => [user_id, status])).toEqual([
      [worker.id, 'ASSIGNED'],
    ])
    await expectCountersMatch(full)
  })

  test('reduces the surplus after a renewal with fewer seats, which then cannot be refilled', async () => {
    await requireStatus(200, changeSubscription(firm, { status: 'EXPIRED' }))
    await requireStatus(200, changeSubscription(firm, { status: 'ACTIVE', quantityPurchased: 0 }))
    await execute('delete from seats where user_id = $1', [holder.id])
    await expectCountersMatch(firm)
    await expect(insertSeat(firm, holder)).rejects.toThrow('seats_suffice')
    await execute('update subscriptions set tolerated = 50 where id = $1', [firm.subscriptionId])
    await expect(insertSeat(firm, holder)).rejects.toThrow('seats_suffice')
  })
})
