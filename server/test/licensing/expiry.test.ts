import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noteLapses } from '../../src/licensing/subscriptions/service.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import { ask } from '../tenants/walled-world.ts'
import {
  check,
  DAY,
  type Firm,
  grant,
  hire,
  hireLicensed,
  hireMany,
  holders,
  mustBe,
  NOTHING,
  openFirm,
  refusedSeat,
  renew,
  revoke,
  rowsOf,
  seatsOf,
  subscribe,
  typeOf,
} from './firm.ts'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service?.close())

const inDays = (days: number) => new Date(service.ctx.now().getTime() + days * DAY)
const runJob = () => noteLapses.run(service.ctx, {})

/** A firm whose subscription runs out tomorrow, with so many people who have a seat. */
async function openExpiring(many: number, seats = many) {
  const firm = await openFirm(service, { seats, currentPeriodEnd: inDays(1) })
  const people = []
  for (let count = 0; count < many; count++) people.push(await hireLicensed(firm))
  return { firm, people }
}

const lapsesOf = ({ company }: Firm) =>
  service.ctx.db
    .selectFrom('audit_entries')
    .select(['actor_kind', 'actor_id', 'user_id', 'details'])
    .where('tenant_id', '=', company.id)
    .where('action', '=', 'subscription.lapsed')
    .execute()

describe('the seats of a subscription that has run out', () => {
  test.each([
    ['with a later end alone', () => ({ currentPeriodEnd: inDays(30) })],
    ['with no end', () => ({ currentPeriodEnd: null })],
    ['with another status and end', () => ({ status: 'TRIALING' as const, currentPeriodEnd: inDays(30) })],
  ])('are dormant, and come back when it is renewed %s', async (_, terms) => {
    const { firm, people } = await openExpiring(2, 3)
    const before = await rowsOf(firm)
    service.advance(2 * DAY)
    await runJob()
    for (const worker of people) expect(await check(firm, worker)).toEqual(NOTHING)
    expect(await holders(firm)).toEqual([])
    expect(await rowsOf(firm)).toEqual(before)
    const state = { quantityPurchased: 3, quantityAssigned: 2, quantityAvailable: 1 }
    expect(await seatsOf(firm)).toEqual({ ...state, status: 'EXPIRED' })
    await mustBe(200, renew(firm, terms()))
    for (const worker of people) expect(await typeOf(firm, worker)).toBe('pro')
    expect((await holders(firm)).sort()).toEqual(people.map(({ id }) => id).sort())
    expect(await rowsOf(firm)).toEqual(before)
  })

  test('cannot be given to anybody, and can be taken back', async () => {
    const { firm, people } = await openExpiring(1, 3)
    const newcomer = await hire(firm)
    service.advance(2 * DAY)
    expect(await grant(firm, newcomer)).toMatchObject(refusedSeat('SUBSCRIPTION_INACTIVE'))
    const [holder = newcomer] = people
    await mustBe(200, revoke(firm, holder))
    await mustBe(200, renew(firm, { currentPeriodEnd: null }))
    expect(await check(firm, holder)).toEqual(NOTHING)
    expect(await rowsOf(firm)).toEqual([])
  })

  test('do not stand in the way of one of another type, which takes their place for good', async () => {
    const { firm, people } = await openExpiring(1)
    await subscribe(firm, 'basic', { quantityPurchased: 1 })
    service.advance(2 * DAY)
    const [holder = { id: '' }] = people
    await mustBe(201, grant(firm, holder, 'basic'))
    await mustBe(200, renew(firm, { currentPeriodEnd: null }))
    expect(await typeOf(firm, holder)).toBe('basic')
    expect(await rowsOf(firm)).toMatchObject([{ user_id: holder.id, license_type_id: firm.types.basic }])
    expect(await seatsOf(firm)).toMatchObject({ quantityAssigned: 0, quantityAvailable: 1 })
  })

  test('begin a new period when it is renewed, and go on with the old one when it is prolonged in time', async () => {
    const { firm } = await openExpiring(0, 1)
    const start = async () =>
      (await mustBe(200, renew(firm, { quantityPurchased: 2 }))).body.currentPeriodStart
    const first = await start()
    await mustBe(200, renew(firm, { currentPeriodEnd: inDays(2) }))
    expect(await start()).toBe(first)
    service.advance(3 * DAY)
    const now = service.ctx.now().getTime()
    const { body } = await mustBe(200, renew(firm, { currentPeriodEnd: inDays(2) }))
    expect(Date.parse(String(body.currentPeriodStart))).toBeGreaterThanOrEqual(now)
  })
})

describe('the job that notes what has run out', () => {
  test('writes it down once, and run again, or by two nodes, changes nothing', async () => {
    const { firm } = await openExpiring(1)
    const end = inDays(0)
    await runJob()
    expect(await lapsesOf(firm)).toEqual([])
    service.advance(2 * DAY)
    await Promise.all([runJob(), runJob()])
    const { subscriptionId, types } = firm
    expect(await lapsesOf(firm)).toEqual([
      {
        ...{ actor_kind: 'system', actor_id: null, user_id: null },
        details: { subscriptionId, licenseTypeId: types.pro, at: expect.any(String) },
      },
    ])
    expect(end.getTime()).toBeLessThan(service.ctx.now().getTime())
    const everything = () =>
      Promise.all([
        service.ctx.db.selectFrom('subscriptions').selectAll().orderBy('id').execute(),
        service.ctx.db.selectFrom('audit_entries').selectAll().orderBy('id').execute(),
        service.ctx.db.selectFrom('license_revisions').selectAll().orderBy('tenant_id').execute(),
      ])
    const before = await everything()
    await runJob()
    expect(await everything()).toEqual(before)
  })

  test('notes one that pays late only when the grace is over', async () => {
    const firm = await openFirm(service, { status: 'PAST_DUE', currentPeriodEnd: inDays(1) })
    service.advance(7 * DAY)
    await runJob()
    expect(await lapsesOf(firm)).toEqual([])
    service.advance(DAY + 1_000)
    await runJob()
    expect(await lapsesOf(firm)).toHaveLength(1)
  })

  test('notes it anew when it was renewed in between', async () => {
    const { firm } = await openExpiring(0, 1)
    service.advance(2 * DAY)
    await runJob()
    await mustBe(200, renew(firm, { currentPeriodEnd: inDays(1) }))
    await runJob()
    expect(await lapsesOf(firm)).toHaveLength(1)
    service.advance(2 * DAY)
    await runJob()
    expect(await lapsesOf(firm)).toHaveLength(2)
  })

  test('does not note it anew when something else of it was changed', async () => {
    const { firm } = await openExpiring(0, 1)
    service.advance(2 * DAY)
    await runJob()
    await mustBe(200, renew(firm, { quantityPurchased: 7 }))
    await runJob()
    expect(await lapsesOf(firm)).toHaveLength(1)
  })

  test('notes more than fit into one batch in one run', async () => {
    const firm = await openFirm(service, { currentPeriodEnd: inDays(1) })
    const { company, applicationId } = firm
    await ask(
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
    expect(await lapsesOf(firm)).toHaveLength(150)
  })
})

describe('renewed with fewer seats than it has holders, a subscription', () => {
  test('keeps them all, gives none until enough are given back, and then gives again', async () => {
    const { firm, people } = await openExpiring(4, 5)
    const [newcomer, latecomer] = await hireMany(firm, 2)
    service.advance(2 * DAY)
    await mustBe(200, renew(firm, { quantityPurchased: 2, currentPeriodEnd: inDays(30) }))
    const shown = (quantityAssigned: number, quantityAvailable = 0) =>
      expect(seatsOf(firm)).resolves.toEqual({
        ...{ quantityPurchased: 2, quantityAssigned, quantityAvailable, status: 'ACTIVE' },
      })
    const refused = async () =>
      expect(await grant(firm, newcomer as { id: string })).toMatchObject(refusedSeat('FULL'))
    for (const worker of people) expect(await typeOf(firm, worker)).toBe('pro')
    for (const [index, worker] of people.entries()) {
      await shown(4 - index)
      if (4 - index >= 2) await refused()
      if (4 - index === 2) break
      await mustBe(200, revoke(firm, worker))
      // What was only borne with is not given back to the one who had it either.
      expect(await grant(firm, worker)).toMatchObject(refusedSeat('FULL'))
    }
    await mustBe(200, revoke(firm, people[2] as { id: string }))
    await shown(1, 1)
    await mustBe(201, grant(firm, newcomer as { id: string }))
    await shown(2)
    expect(await grant(firm, latecomer as { id: string })).toMatchObject(refusedSeat('FULL'))
  })

  test('may be given more seats, and no fewer', async () => {
    const { firm, people } = await openExpiring(3)
    service.advance(2 * DAY)
    await mustBe(200, renew(firm, { quantityPurchased: 1, currentPeriodEnd: null }))
    expect(await renew(firm, { quantityPurchased: 0 })).toMatchObject({
      status: 409,
      body: { error: 'SEATS_IN_USE', details: { inUse: 3 } },
    })
    await mustBe(200, renew(firm, { quantityPurchased: 2 }))
    await mustBe(200, renew(firm, { quantityPurchased: 4 }))
    const newcomer = await hire(firm)
    await mustBe(201, grant(firm, newcomer))
    expect(await renew(firm, { quantityPurchased: 3 })).toMatchObject({ status: 409 })
    expect((await holders(firm)).sort()).toEqual([...people.map(({ id }) => id), newcomer.id].sort())
  })
})
