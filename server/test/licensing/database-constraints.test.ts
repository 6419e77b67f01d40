import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { insertUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { runSql } from '../tenants/scoped-tenant.ts'
import { insertMembership } from '../tenants/tenant-rows.ts'
import {
  addLicensedMember,
  addTenantMember,
  createLicensedTenant,
  createSubscription,
  getSeatSummary,
  type LicensedTenant,
  listSeatRows,
  type TestMember,
} from './licensed-tenant.ts'
import { expectCountersMatch, insertSeat } from './seat-rows.ts'

// The constraints and triggers of the database, which hold for every writer.

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service?.close())

const execute = (text: string, values: unknown[] = []) => runSql(service.ctx.db, text, values)

/** Error codes of PostgreSQL. */
const CHECK_VIOLATION = { code: '23514' }
const FOREIGN_KEY_VIOLATION = { code: '23503' }

describe('the database refuses', () => {
  let firm: LicensedTenant
  let holder: TestMember
  /** Three seats, two of them assigned. */
  beforeEach(async () => {
    firm = await createLicensedTenant(service, { seats: 3 })
    holder = await addLicensedMember(firm)
    await addLicensedMember(firm)
  })

  const expectRefused = async (work: () => Promise<unknown>, error: string | { code: string }) => {
    const before = [await listSeatRows(firm), await getSeatSummary(firm)]
    const rejection = expect(work()).rejects
    await (typeof error === 'string' ? rejection.toThrow(error) : rejection.toMatchObject(error))
    expect([await listSeatRows(firm), await getSeatSummary(firm)]).toEqual(before)
    await expectCountersMatch(firm)
  }

  test('more seats than were purchased', async () => {
    await insertSeat(firm, await addTenantMember(firm))
    const late = await addTenantMember(firm)
    await expectRefused(() => insertSeat(firm, late), 'seats_suffice')
    const guest = await insertUser(service)
    await insertMembership(service, firm.company, guest, { status: 'INVITED' })
    await expectRefused(() => insertSeat(firm, guest, { status: 'RESERVED' }), 'seats_suffice')
  })

  test('a statement that inserts one seat too many', async () => {
    const newcomers = [await addTenantMember(firm), await addTenantMember(firm)]
    const text = `insert into seats select gen_random_uuid(), $1, id, $2, $3, $4, 'ASSIGNED', now()
      from users where id = any($5)`
    const { company, applicationId, types, subscriptionId } = firm
    const ids = newcomers.map(({ id }) => id)
    const values = [company.id, applicationId, types.pro, subscriptionId, ids]
    await expectRefused(() => execute(text, values), 'seats_suffice')
  })

  test('the reassignment of a parked seat if none is free', async () => {
    await execute(`update seats set status = 'PARKED' where user_id = $1`, [holder.id])
    for (let count = 0; count < 2; count++) await insertSeat(firm, await addTenantMember(firm))
    await expectRefused(
      () => execute(`update seats set status = 'ASSIGNED' where user_id = $1`, [holder.id]),
      'seats_suffice',
    )
  })

  test('the move of a seat to a subscription without a free one', async () => {
    const { id } = await createSubscription(firm, 'basic', { quantityPurchased: 0 })
    const text = 'update seats set subscription_id = $1, license_type_id = $2 where user_id = $3'
    await expectRefused(() => execute(text, [id, firm.types.basic, holder.id]), 'seats_suffice')
  })

  test.each([
    ['fewer purchased seats than are assigned', 'quantity_purchased = 1'],
    ['a negative number of purchased seats', 'quantity_purchased = -1'],
    ['more assigned than purchased', 'quantity_assigned = 4'],
    ['more reserved than purchased', 'quantity_reserved = 2'],
    ['a negative number of assigned seats', 'quantity_assigned = -1'],
    ['an unknown status', `status = 'FOREVER'`],
    // These would allow more seats than were purchased.
    ['an assigned counter below the number of seats', 'quantity_assigned = 0'],
    ['an assigned counter above the number of seats, with a raised tolerance', 'quantity_assigned = 5, tolerated = 5'],
  ])('%s', async (_, change) => {
    const text = `update subscriptions set ${change} where id = $1`
    await expectRefused(() => execute(text, [firm.subscriptionId]), CHECK_VIOLATION)
  })

  test('seats of a new subscription without any, even with a raised tolerance', async () => {
    const id = newId()
    await execute(
      `insert into subscriptions select $1, tenant_id, application_id, $2, 0, 0, 0, 100, 'ACTIVE', now(), null, null,
         now(), now() from subscriptions where id = $3`,
      [id, firm.types.basic, firm.subscriptionId],
    )
    const worker = await addTenantMember(firm)
    const fields = { subscription_id: id, license_type_id: firm.types.basic }
    await expectRefused(() => insertSeat(firm, worker, fields), 'seats_suffice')
  })

  test('a second seat of one application for the same user', async () => {
    await expectRefused(() => insertSeat(firm, holder), 'seats_holder_key')
    const { id } = await createSubscription(firm, 'basic', { quantityPurchased: 3 })
    const fields = { subscription_id: id, license_type_id: firm.types.basic }
    await expectRefused(() => insertSeat(firm, holder, fields), 'seats_holder_key')
  })

  test('a second subscription of a tenant to the same type', async () => {
    const text = `insert into subscriptions select gen_random_uuid(), tenant_id, application_id, license_type_id, 9, 0,
      0, 0, 'ACTIVE', now(), null, null, now(), now() from subscriptions where id = $1`
    await expectRefused(() => execute(text, [firm.subscriptionId]), 'subscriptions_type_key')
  })

  test('an ASSIGNED seat for suspended, disabled or invited users, and a RESERVED one for members', async () => {
    const [suspended, disabled, active] = [
      await addTenantMember(firm),
      await addTenantMember(firm),
      await addTenantMember(firm),
    ]
    await execute(`update memberships set status = 'SUSPENDED' where user_id = $1`, [suspended.id])
    await execute('update users set disabled = true where id = $1', [disabled.id])
    const guest = await insertUser(service)
    await insertMembership(service, firm.company, guest, { status: 'INVITED' })
    for (const user of [suspended, disabled, guest]) {
      await expectRefused(() => insertSeat(firm, user), 'nobody can hold this seat')
    }
    for (const user of [suspended, active]) {
      const reserve = () => insertSeat(firm, user, { status: 'RESERVED' })
      await expectRefused(reserve, 'nobody can hold this seat')
    }
  })

  test('truncating the seats, which would not be recorded in the ledger', () =>
    expectRefused(() => execute('truncate seats'), 'this is another one'))

  test.each(['update license_ledger set actor = null', 'delete from license_ledger', 'truncate license_ledger'])(
    'a change of the ledger: %s',
    async (text) => {
      const readLedger = () => execute('select * from license_ledger order by tenant_id, sequence')
      const before = await readLedger()
      expect(before).not.toEqual([])
      await expectRefused(() => execute(text), 'this is another one')
      expect(await readLedger()).toEqual(before)
    },
  )

  test('a seat for a user who is not a member, is a member of another tenant, or does not exist', async () => {
    const other = await createLicensedTenant(service)
    for (const person of [await insertUser(service), await addTenantMember(other), { id: newId() }]) {
      await expectRefused(() => insertSeat(firm, person), 'seats_of_members')
    }
  })

  test("a seat of another tenant's subscription", async () => {
    const other = await createLicensedTenant(service)
    const worker = await addTenantMember(firm)
    await expectRefused(
      () => insertSeat(firm, worker, { subscription_id: other.subscriptionId }),
      FOREIGN_KEY_VIOLATION,
    )
  })

  test('a seat whose application or type differs from its subscription', async () => {
    const other = await createLicensedTenant(service)
    const worker = await addTenantMember(firm)
    await expectRefused(() => insertSeat(firm, worker, { application_id: other.applicationId }), FOREIGN_KEY_VIOLATION)
    await expectRefused(() => insertSeat(firm, worker, { license_type_id: firm.types.basic }), FOREIGN_KEY_VIOLATION)
  })

  test('a subscription whose type belongs to another application', async () => {
    const other = await createLicensedTenant(service)
    const text = `insert into subscriptions select gen_random_uuid(), tenant_id, application_id, $2, 9, 0, 0, 0,
      'ACTIVE', now(), null, null, now(), now() from subscriptions where id = $1`
    await expectRefused(() => execute(text, [firm.subscriptionId, other.types.pro]), FOREIGN_KEY_VIOLATION)
  })
})
