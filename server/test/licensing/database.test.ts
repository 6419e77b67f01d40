import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { addPerson } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import { employ } from '../tenants/company.ts'
import { ask } from '../tenants/walled-world.ts'
import {
  type Firm,
  grant,
  hire,
  hireLicensed,
  mustBe,
  openFirm,
  renew,
  rowsOf,
  seatsOf,
  subscribe,
  type Worker,
} from './firm.ts'

// What the database itself refuses and keeps, whoever writes to it and whatever the code above forgets.

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service?.close())

const order = (text: string, values: unknown[] = []) => ask(service.ctx.db, text, values)

/** A seat laid out past the service. */
const insertSeat = (firm: Firm, { id: userId }: { id: string }, traits: Record<string, unknown> = {}) => {
  const { company, applicationId, types, subscriptionId } = firm
  const row = {
    ...{ id: newId(), tenant_id: company.id, user_id: userId, application_id: applicationId },
    ...{ license_type_id: types.pro, subscription_id: subscriptionId, status: 'ASSIGNED' },
    ...{ assigned_at: new Date(), ...traits },
  }
  return order('insert into seats select * from json_populate_record(null::seats, $1)', [JSON.stringify(row)])
}

/** Of every subscription of the tenant: what it says of its seats, and what they say. */
async function expectCounted({ company }: Firm): Promise<void> {
  const rows = await order(
    `select quantity_assigned, quantity_reserved,
       (select count(*)::int from seats where subscription_id = subscriptions.id and status = 'ASSIGNED') as assigned,
       (select count(*)::int from seats where subscription_id = subscriptions.id and status = 'RESERVED') as reserved
     from subscriptions where tenant_id = $1`,
    [company.id],
  )
  for (const row of rows as Record<string, number>[]) {
    expect([row.quantity_assigned, row.quantity_reserved]).toEqual([row.assigned, row.reserved])
  }
}

/** A rule about the row itself is broken, or what it refers to is not there. */
const BROKEN = { code: '23514' }
const ORPHAN = { code: '23503' }

describe('the database refuses', () => {
  let firm: Firm
  let holder: Worker
  /** Three seats, two of them taken. */
  beforeEach(async () => {
    firm = await openFirm(service, { seats: 3 })
    holder = await hireLicensed(firm)
    await hireLicensed(firm)
  })

  const expectRefused = async (work: () => Promise<unknown>, why: string | { code: string }) => {
    const before = [await rowsOf(firm), await seatsOf(firm)]
    const refused = expect(work()).rejects
    await (typeof why === 'string' ? refused.toThrow(why) : refused.toMatchObject(why))
    expect([await rowsOf(firm), await seatsOf(firm)]).toEqual(before)
    await expectCounted(firm)
  }

  test('a seat more than were bought', async () => {
    await insertSeat(firm, await hire(firm))
    const late = await hire(firm)
    await expectRefused(() => insertSeat(firm, late), 'seats_suffice')
    const guest = await addPerson(service)
    await employ(service, firm.company, guest, { status: 'INVITED' })
    await expectRefused(() => insertSeat(firm, guest, { status: 'RESERVED' }), 'seats_suffice')
  })

  test('many seats at once of which one is too many', async () => {
    const newcomers = [await hire(firm), await hire(firm)]
    const text = `insert into seats select gen_random_uuid(), $1, id, $2, $3, $4, 'ASSIGNED', now()
      from users where id = any($5)`
    const { company, applicationId, types, subscriptionId } = firm
    const ids = newcomers.map(({ id }) => id)
    const values = [company.id, applicationId, types.pro, subscriptionId, ids]
    await expectRefused(() => order(text, values), 'seats_suffice')
  })

  test('a parked seat that comes back where there is none free', async () => {
    await order(`update seats set status = 'PARKED' where user_id = $1`, [holder.id])
    for (let count = 0; count < 2; count++) await insertSeat(firm, await hire(firm))
    await expectRefused(
      () => order(`update seats set status = 'ASSIGNED' where user_id = $1`, [holder.id]),
      'seats_suffice',
    )
  })

  test('a seat that moves to where there is none free', async () => {
    const { id } = await subscribe(firm, 'basic', { quantityPurchased: 0 })
    const text = 'update seats set subscription_id = $1, license_type_id = $2 where user_id = $3'
    await expectRefused(() => order(text, [id, firm.types.basic, holder.id]), 'seats_suffice')
  })

  test.each([
    ['fewer seats than are taken', 'quantity_purchased = 1'],
    ['a negative number of seats', 'quantity_purchased = -1'],
    ['more taken than bought', 'quantity_assigned = 4'],
    ['more kept than bought', 'quantity_reserved = 2'],
    ['fewer than none taken', 'quantity_assigned = -1'],
    ['a status that there is not', `status = 'FOREVER'`],
    // These would make room for seats that nobody has bought.
    ['fewer taken than there are seats', 'quantity_assigned = 0'],
    ['more taken than there are seats, and borne with', 'quantity_assigned = 5, tolerated = 5'],
  ])('%s', async (_, change) => {
    const text = `update subscriptions set ${change} where id = $1`
    await expectRefused(() => order(text, [firm.subscriptionId]), BROKEN)
  })

  test('seats of a new subscription that has none, also when it says to bear with some', async () => {
    const id = newId()
    await order(
      `insert into subscriptions select $1, tenant_id, application_id, $2, 0, 0, 0, 100, 'ACTIVE', now(), null, null,
         now(), now() from subscriptions where id = $3`,
      [id, firm.types.basic, firm.subscriptionId],
    )
    const worker = await hire(firm)
    const traits = { subscription_id: id, license_type_id: firm.types.basic }
    await expectRefused(() => insertSeat(firm, worker, traits), 'seats_suffice')
  })

  test('a second seat of one application for one person', async () => {
    await expectRefused(() => insertSeat(firm, holder), 'seats_holder_key')
    const { id } = await subscribe(firm, 'basic', { quantityPurchased: 3 })
    const traits = { subscription_id: id, license_type_id: firm.types.basic }
    await expectRefused(() => insertSeat(firm, holder, traits), 'seats_holder_key')
  })

  test('a second subscription of one type', async () => {
    const text = `insert into subscriptions select gen_random_uuid(), tenant_id, application_id, license_type_id, 9, 0,
      0, 0, 'ACTIVE', now(), null, null, now(), now() from subscriptions where id = $1`
    await expectRefused(() => order(text, [firm.subscriptionId]), 'subscriptions_type_key')
  })

  test('a seat for who is suspended or disabled or not here yet, and one kept for who is', async () => {
    const [suspended, disabled, there] = [await hire(firm), await hire(firm), await hire(firm)]
    await order(`update memberships set status = 'SUSPENDED' where user_id = $1`, [suspended.id])
    await order('update users set disabled = true where id = $1', [disabled.id])
    const guest = await addPerson(service)
    await employ(service, firm.company, guest, { status: 'INVITED' })
    for (const nobody of [suspended, disabled, guest]) {
      await expectRefused(() => insertSeat(firm, nobody), 'nobody can hold this seat')
    }
    for (const nobody of [suspended, there]) {
      const kept = () => insertSeat(firm, nobody, { status: 'RESERVED' })
      await expectRefused(kept, 'nobody can hold this seat')
    }
  })

  test('all seats at once to be gone, of which none would be told', () =>
    expectRefused(() => order('truncate seats'), 'this is another one'))

  test.each([
    'update license_ledger set actor = null',
    'delete from license_ledger',
    'truncate license_ledger',
  ])('what is told to be told otherwise: %s', async (text) => {
    const told = () => order('select * from license_ledger order by tenant_id, sequence')
    const before = await told()
    expect(before).not.toEqual([])
    await expectRefused(() => order(text), 'this is another one')
    expect(await told()).toEqual(before)
  })

  test('a seat for somebody who is no member, of another tenant, or nobody', async () => {
    const other = await openFirm(service)
    for (const person of [await addPerson(service), await hire(other), { id: newId() }]) {
      await expectRefused(() => insertSeat(firm, person), 'seats_of_members')
    }
  })

  test('a seat of the subscription of another tenant', async () => {
    const other = await openFirm(service)
    const worker = await hire(firm)
    await expectRefused(() => insertSeat(firm, worker, { subscription_id: other.subscriptionId }), ORPHAN)
  })

  test('a seat of another application or type than the subscription is of', async () => {
    const other = await openFirm(service)
    const worker = await hire(firm)
    await expectRefused(() => insertSeat(firm, worker, { application_id: other.applicationId }), ORPHAN)
    await expectRefused(() => insertSeat(firm, worker, { license_type_id: firm.types.basic }), ORPHAN)
  })

  test('a subscription to a type of another application', async () => {
    const other = await openFirm(service)
    const text = `insert into subscriptions select gen_random_uuid(), tenant_id, application_id, $2, 9, 0, 0, 0,
      'ACTIVE', now(), null, null, now(), now() from subscriptions where id = $1`
    await expectRefused(() => order(text, [firm.subscriptionId, other.types.pro]), ORPHAN)
  })
})

describe('what is held is counted, also when somebody at the database', () => {
  let firm: Firm
  let holder: Worker
  beforeEach(async () => {
    firm = await openFirm(service, { seats: 3 })
    holder = await hireLicensed(firm)
    await hireLicensed(firm)
  })

  const GONE: [string, () => Promise<unknown>][] = [
    ['deletes a seat', () => order('delete from seats where user_id = $1', [holder.id])],
    ['deletes a membership', () => order('delete from memberships where id = $1', [holder.membershipId])],
    ['deletes a person', () => order('delete from users where id = $1', [holder.id])],
    [
      'suspends a member',
      () => order(`update memberships set status = 'SUSPENDED' where id = $1`, [holder.membershipId]),
    ],
    ['parks a seat', () => order(`update seats set status = 'PARKED' where user_id = $1`, [holder.id])],
    [
      'asks for a person to be forgotten',
      () => order('update users set deletion_requested_at = now() where id = $1', [holder.id]),
    ],
  ]
  test.each(GONE)('%s', async (_, work) => {
    await work()
    await expectCounted(firm)
    expect(await seatsOf(firm)).toMatchObject({ quantityAssigned: 1, quantityAvailable: 2 })
  })

  test('deletes all seats, or all members', async () => {
    await order('delete from seats where tenant_id = $1', [firm.company.id])
    await expectCounted(firm)
    expect(await seatsOf(firm)).toMatchObject({ quantityAssigned: 0, quantityAvailable: 3 })
    const other = await openFirm(service)
    for (let count = 0; count < 3; count++) await hireLicensed(other)
    await order('delete from memberships where tenant_id = $1', [other.company.id])
    await expectCounted(other)
    expect(await seatsOf(other)).toMatchObject({ quantityAssigned: 0, quantityAvailable: 5 })
  })

  test.each([
    ['the tenant', () => order('delete from tenants where id = $1', [firm.company.id])],
    ['the subscription', () => order('delete from subscriptions where id = $1', [firm.subscriptionId])],
    ['the licence type', () => order('delete from license_types where id = $1', [firm.types.pro])],
    ['the application', () => order('delete from applications where id = $1', [firm.applicationId])],
  ])('deletes %s, and nothing of it is left', async (_, work) => {
    await work()
    await expectCounted(firm)
    expect(await rowsOf(firm)).toEqual([])
    expect(await order('select from subscriptions where id = $1', [firm.subscriptionId])).toEqual([])
  })

  test('makes room for somebody who is invited, who then comes', async () => {
    const guest = await addPerson(service)
    const id = await employ(service, firm.company, guest, { status: 'INVITED' })
    await insertSeat(firm, guest, { status: 'RESERVED' })
    await expectCounted(firm)
    expect(await seatsOf(firm)).toMatchObject({ quantityAssigned: 2, quantityAvailable: 0 })
    const text = `update memberships set status = 'ACTIVE', joined_at = now(), invited_until = null where id = $1`
    await order(text, [id])
    await expectCounted(firm)
    expect(await seatsOf(firm)).toMatchObject({ quantityAssigned: 3, quantityAvailable: 0 })
  })

  test('makes room for somebody who is disabled before they come: it is parked until they are not', async () => {
    const guest = await addPerson(service)
    const id = await employ(service, firm.company, guest, { status: 'INVITED' })
    await insertSeat(firm, guest, { status: 'RESERVED' })
    await order('update users set disabled = true where id = $1', [guest.id])
    await order(
      `update memberships set status = 'ACTIVE', joined_at = now(), invited_until = null where id = $1`,
      [id],
    )
    await expectCounted(firm)
    expect(await seatsOf(firm)).toMatchObject({ quantityAssigned: 2, quantityAvailable: 1 })
    await order('update users set disabled = false where id = $1', [guest.id])
    expect(await seatsOf(firm)).toMatchObject({ quantityAssigned: 3, quantityAvailable: 0 })
  })

  test('parks a seat: whoever has it is given one again', async () => {
    await order(`update seats set status = 'PARKED' where user_id = $1`, [holder.id])
    await mustBe(201, grant(firm, holder))
    await expectCounted(firm)
  })

  test('enables somebody whose seat is kept for another who has not come in time', async () => {
    const full = await openFirm(service, { seats: 1 })
    const worker = await hireLicensed(full)
    await order('update users set disabled = true where id = $1', [worker.id])
    const guest = await addPerson(service)
    const invited = await employ(service, full.company, guest, { status: 'INVITED' })
    await insertSeat(full, guest, { status: 'RESERVED' })
    await order(`update memberships set invited_until = now() - interval '1 hour' where id = $1`, [invited])
    await order('update users set disabled = false, updated_at = now() where id = $1', [worker.id])
    expect((await rowsOf(full)).map(({ user_id, status }) => [user_id, status])).toEqual([
      [worker.id, 'ASSIGNED'],
    ])
    await expectCounted(full)
  })

  test('bears with more than are bought, and then with ever fewer', async () => {
    await mustBe(200, renew(firm, { status: 'EXPIRED' }))
    await mustBe(200, renew(firm, { status: 'ACTIVE', quantityPurchased: 0 }))
    await order('delete from seats where user_id = $1', [holder.id])
    await expectCounted(firm)
    await expect(insertSeat(firm, holder)).rejects.toThrow('seats_suffice')
    await order('update subscriptions set tolerated = 50 where id = $1', [firm.subscriptionId])
    await expect(insertSeat(firm, holder)).rejects.toThrow('seats_suffice')
  })
})
