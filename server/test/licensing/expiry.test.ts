import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordLapsedSubscriptions } from '../../src/licensing/subscriptions/service.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { runSql } from '../tenants/scoped-tenant.ts'
import {
  addLicensedMember,
  addTenantMember,
  addTenantMembers,
  changeSubscription,
  check,
  createLicensedTenant,
  createSubscription,
  DAY_MS,
  findLicenseType,
  getSeatSummary,
  grant,
  type LicensedTenant,
  listHolderIds,
  listSeatRows,
  NO_LICENSE,
  requireStatus,
  revoke,
  toSeatRefusal,
} from './licensed-tenant.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service?.close())

const inDays = (days: number) => new Date(service.ctx.now().getTime() + days * DAY_MS)
const runJob = () => recordLapsedSubscriptions.run(service.ctx, {})

/** A firm whose subscription ends tomorrow, with seat holders. */
async function openExpiring(holderCount: number, seats = holderCount) {
  const firm = await createLicensedTenant(service, { seats, currentPeriodEnd: inDays(1) })
  const people = []
  for (let count = 0; count < holderCount; count++) people.push(await addLicensedMember(firm))
  return { firm, people }
}

const listLapses = ({ company }: LicensedTenant) =>
  service.ctx.db
    .selectFrom('audit_entries')
    .select(['actor_kind', 'actor_id', 'user_id', 'details'])
    .where('tenant_id', '=', company.id)
    .where('action', '=', 'subscription.lapsed')
    .execute()

describe('the seats of a lapsed subscription', () => {
  test.each([
    ['with a later end alone', () => ({ currentPeriodEnd: inDays(30) })],
    ['with no end', () => ({ currentPeriodEnd: null })],
    ['with another status and end', () => ({ status: 'TRIALING' as const, currentPeriodEnd: inDays(30) })],
  ])('are dormant, and are usable again after a renewal %s', async (_, terms) => {
    const { firm, people } = await openExpiring(2, 3)
    const before = await listSeatRows(firm)
    service.advance(2 * DAY_MS)
    await runJob()
    for (const worker of people) expect(await check(firm, worker)).toEqual(NO_LICENSE)
    expect(await listHolderIds(firm)).toEqual([])
    expect(await listSeatRows(firm)).toEqual(before)
    const state = { quantityPurchased: 3, quantityAssigned: 2, quantityAvailable: 1 }
    expect(await getSeatSummary(firm)).toEqual({ ...state, status: 'EXPIRED' })
    await requireStatus(200, changeSubscription(firm, terms()))
    for (const worker of people) expect(await findLicenseType(firm, worker)).toBe('pro')
    expect((await listHolderIds(firm)).sort()).toEqual(people.map(({ id }) => id).sort())
    expect(await listSeatRows(firm)).toEqual(before)
  })

  test('cannot be granted, but can be revoked', async () => {
    const { firm, people } = await openExpiring(1, 3)
    const newcomer = await addTenantMember(firm)
    service.advance(2 * DAY_MS)
    expect(await grant(firm, newcomer)).toMatchObject(toSeatRefusal('SUBSCRIPTION_INACTIVE'))
    const [holder = newcomer] = people
    await requireStatus(200, revoke(firm, holder))
    await requireStatus(200, changeSubscription(firm, { currentPeriodEnd: null }))
    expect(await check(firm, holder)).toEqual(NO_LICENSE)
    expect(await listSeatRows(firm)).toEqual([])
  })

  test('are replaced for good by a seat of another type', async () => {
    const { firm, people } = await openExpiring(1)
    await createSubscription(firm, 'basic', { quantityPurchased: 1 })
    service.advance(2 * DAY_MS)
    const [holder = { id: '' }] = people
    await requireStatus(201, grant(firm, holder, 'basic'))
    await requireStatus(200, changeSubscription(firm, { currentPeriodEnd: null }))
    expect(await findLicenseType(firm, holder)).toBe('basic')
    expect(await listSeatRows(firm)).toMatchObject([{ user_id: holder.id, license_type_id: firm.types.basic }])
    expect(await getSeatSummary(firm)).toMatchObject({ quantityAssigned: 0, quantityAvailable: 1 })
  })

  test('start a new period with a renewal, but not with an extension before the end', async () => {
    const { firm } = await openExpiring(0, 1)
    const start = async () =>
      (await requireStatus(200, changeSubscription(firm, { quantityPurchased: 2 }))).body.currentPeriodStart
    const first = await start()
    await requireStatus(200, changeSubscription(firm, { currentPeriodEnd: inDays(2) }))
    expect(await start()).toBe(first)
    service.advance(3 * DAY_MS)
    const now = service.ctx.now().getTime()
    const { body } = await requireStatus(200, changeSubscription(firm, { currentPeriodEnd: inDays(2) }))
    expect(Date.parse(String(body.currentPeriodStart))).toBeGreaterThanOrEqual(now)
  })
})

describe('the job that records lapsed subscriptions', () => {
  test('records a lapse once, also when it runs again or on two nodes', async () => {
    const { firm } = await openExpiring(1)
    const end = inDays(0)
    await runJob()
    expect(await listLapses(firm)).toEqual([])
    service.advance(2 * DAY_MS)
    await Promise.all([runJob(), runJob()])
    const { subscriptionId, types } = firm
    expect(await listLapses(firm)).toEqual([
      {
        actor_kind: 'system',
        actor_id: null,
        user_id: null,
        details: { subscriptionId, licenseTypeId: types.pro, at: expect.any(String) },
      },
    ])
    expect(end.getTime()).toBeLessThan(service.ctx.now().getTime())
    const readAllTables = () =>
      Promise.all([
        service.ctx.db.selectFrom('subscriptions').selectAll().orderBy('id').execute(),
        service.ctx.db.selectFrom('audit_entries').selectAll().orderBy('id').execute(),
        service.ctx.db.selectFrom('license_revisions').selectAll().orderBy('tenant_id').execute(),
      ])
    const before = await readAllTables()
    await runJob()
    expect(await readAllTables()).toEqual(before)
  })

  test('records a PAST_DUE subscription only after the grace days', async () => {
    const firm = await createLicensedTenant(service, { status: 'PAST_DUE', currentPeriodEnd: inDays(1) })
    service.advance(7 * DAY_MS)
    await runJob()
    expect(await listLapses(firm)).toEqual([])
    service.advance(DAY_MS + 1_000)
    await runJob()
    expect(await listLapses(firm)).toHaveLength(1)
  })

  test('records another lapse after a renewal', async () => {
    const { firm } = await openExpiring(0, 1)
    service.advance(2 * DAY_MS)
    await runJob()
    await requireStatus(200, changeSubscription(firm, { currentPeriodEnd: inDays(1) }))
    await runJob()
    expect(await listLapses(firm)).toHaveLength(1)
    service.advance(2 * DAY_MS)
    await runJob()
    expect(await listLapses(firm)).toHaveLength(2)
  })

  test('records no other lapse after a change that is no renewal', async () => {
    const { firm } = await openExpiring(0, 1)
    service.advance(2 * DAY_MS)
    await runJob()
    await requireStatus(200, changeSubscription(firm, { quantityPurchased: 7 }))
    await runJob()
    expect(await listLapses(firm)).toHaveLength(1)
  })

  test('records more lapses than fit into one batch in one run', async () => {
    const firm = await createLicensedTenant(service, { currentPeriodEnd: inDays(1) })
    const { company, applicationId } = firm
    await runSql(
      service.ctx.db,
      `with types as (
         insert into license_types (id, application_id, slug, name, created_at, updated_at)
         select gen_random_uuid(), $2, 'type-' || n, 'Type', now(), now() from generate_series(1, 150) as n
         returning id
       )
       insert into subscriptions (id, tenant_id, application_id, license_type_id, quantity_purchased, status,
         current_period_start, current_period_end, created_at, updated_at)
       select gen_random_uuid(), $1, $2, id, 1, 'ACTIVE', now(), $3, now(), now() from types`,
      [company.id, applicationId, inDays(-1)],
    )
    await runJob()
    expect(await listLapses(firm)).toHaveLength(150)
  })
})

describe('a subscription renewed with fewer seats than it has holders', () => {
  test('keeps all holders, and grants no seat until enough were revoked', async () => {
    const { firm, people } = await openExpiring(4, 5)
    const [newcomer, latecomer] = await addTenantMembers(firm, 2)
    service.advance(2 * DAY_MS)
    await requireStatus(200, changeSubscription(firm, { quantityPurchased: 2, currentPeriodEnd: inDays(30) }))
    const expectSeats = (quantityAssigned: number, quantityAvailable = 0) =>
      expect(getSeatSummary(firm)).resolves.toEqual({
        quantityPurchased: 2,
        quantityAssigned,
        quantityAvailable,
        status: 'ACTIVE',
      })
    const expectRefused = async () =>
      expect(await grant(firm, newcomer as { id: string })).toMatchObject(toSeatRefusal('FULL'))
    for (const worker of people) expect(await findLicenseType(firm, worker)).toBe('pro')
    for (const [index, worker] of people.entries()) {
      await expectSeats(4 - index)
      if (4 - index >= 2) await expectRefused()
      if (4 - index === 2) break
      await requireStatus(200, revoke(firm, worker))
      // A surplus seat is lost, also for its previous holder.
      expect(await grant(firm, worker)).toMatchObject(toSeatRefusal('FULL'))
    }
    await requireStatus(200, revoke(firm, people[2] as { id: string }))
    await expectSeats(1, 1)
    await requireStatus(201, grant(firm, newcomer as { id: string }))
    await expectSeats(2)
    expect(await grant(firm, latecomer as { id: string })).toMatchObject(toSeatRefusal('FULL'))
  })

  test('can get more seats, but not fewer', async () => {
    const { firm, people } = await openExpiring(3)
    service.advance(2 * DAY_MS)
    await requireStatus(200, changeSubscription(firm, { quantityPurchased: 1, currentPeriodEnd: null }))
    expect(await changeSubscription(firm, { quantityPurchased: 0 })).toMatchObject({
      status: 409,
      body: { error: 'SEATS_IN_USE', details: { inUse: 3 } },
    })
    await requireStatus(200, changeSubscription(firm, { quantityPurchased: 2 }))
    await requireStatus(200, changeSubscription(firm, { quantityPurchased: 4 }))
    const newcomer = await addTenantMember(firm)
    await requireStatus(201, grant(firm, newcomer))
    expect(await changeSubscription(firm, { quantityPurchased: 3 })).toMatchObject({ status: 409 })
    expect((await listHolderIds(firm)).sort()).toEqual([...people.map(({ id }) => id), newcomer.id].sort())
  })
})
