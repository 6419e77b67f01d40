import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SubscriptionStatus } from '../../src/db/tables.ts'
import { usableAt } from '../../src/licensing/periods/store.ts'
import { GRACE_DAYS, isUsable, statusAt } from '../../src/licensing/periods.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import {
  check,
  DAY,
  FEATURES,
  type Firm,
  grant,
  hireLicensed,
  holders,
  NOTHING,
  openFirm,
  renew,
  seatsOf,
  type Worker,
} from './firm.ts'

// What a subscription is worth at a moment is decided by the clock alone. No job runs here.

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service?.close())

const STATUSES: SubscriptionStatus[] = ['ACTIVE', 'TRIALING', 'CANCELED', 'PAST_DUE', 'EXPIRED']
const END = new Date('2031-03-27T12:00:00.000Z')
const after = (ms: number) => new Date(END.getTime() + ms)
const GRACE = GRACE_DAYS * DAY

/** Before, at and after the end, and the same of the grace. */
const MOMENTS: [string, Date, 'term' | 'grace' | 'over'][] = [
  ['long before its end', after(-365 * DAY), 'term'],
  ['a millisecond before its end', after(-1), 'term'],
  ['at its end', END, 'grace'],
  ['a millisecond after its end', after(1), 'grace'],
  ['a millisecond before the end of the grace', after(GRACE - 1), 'grace'],
  ['at the end of the grace', after(GRACE), 'over'],
  ['long after the end of the grace', after(365 * DAY), 'over'],
]

const CASES = STATUSES.flatMap((status) => [
  ...MOMENTS.map(([name, now, phase]) => {
    const usable = status !== 'EXPIRED' && (phase === 'term' || (phase === 'grace' && status === 'PAST_DUE'))
    return { name: `${status} ${name}`, status, end: END as Date | null, now, usable }
  }),
  {
    name: `${status} without an end`,
    status,
    end: null,
    now: after(9_999 * DAY),
    usable: status !== 'EXPIRED',
  },
])

/** How the database judges it, in a session of this time zone. */
const judge = (zone: string, status: SubscriptionStatus, end: Date | null, now: Date) =>
  service.ctx.db.transaction().execute(async (tx) => {
    await sql`select set_config('TimeZone', ${zone}, true)`.execute(tx)
    const { rows } = await sql<{ usable: boolean }>`
      select ${usableAt(now, 'one')} as usable
      from (select ${status}::text as status, ${end}::timestamptz as current_period_end) as one
    `.execute(tx)
    return rows[0]?.usable
  })

describe('a subscription', () => {
  test.each(CASES)('that is $name: usable $usable', async ({ status, end, now, usable }) => {
    const period = { status, currentPeriodEnd: end }
    expect(isUsable(period, now)).toBe(usable)
    expect(statusAt(period, now)).toBe(usable ? status : 'EXPIRED')
    expect(await judge('UTC', status, end, now)).toBe(usable)
  })

  // The grace of these spans a change of the clocks: a week is then not seven times 24 hours by the wall clock.
  test.each(['Europe/Berlin', 'America/New_York'])(
    'is judged the same where the database keeps the time of %s',
    async (zone) => {
      for (const end of [END, new Date('2031-10-24T12:00:00.000Z'), new Date('2031-03-06T12:00:00.000Z')]) {
        for (const ms of [GRACE - 1, GRACE, GRACE + 1_800_000, GRACE - 1_800_000, GRACE - DAY]) {
          const now = new Date(end.getTime() + ms)
          const expected = isUsable({ status: 'PAST_DUE', currentPeriodEnd: end }, now)
          expect(await judge(zone, 'PAST_DUE', end, now), `${zone} ${end.toISOString()} ${ms}`).toBe(expected)
        }
      }
    },
  )
})

describe('every answer goes by it at once', () => {
  let firm: Firm
  let worker: Worker
  /** The clock only goes on, so each case has an end of its own. */
  const setEnd = async (status: SubscriptionStatus, away: number) => {
    const currentPeriodEnd = new Date(service.ctx.now().getTime() + away)
    expect((await renew(firm, { status: 'ACTIVE', currentPeriodEnd: null })).status).toBe(200)
    expect((await renew(firm, { status, currentPeriodEnd })).status).toBe(200)
  }
  beforeAll(async () => {
    firm = await openFirm(service)
    worker = await hireLicensed(firm)
  })

  const good = () => ({
    ...{ hasLicense: true, licenseType: 'pro', licenseTypeName: 'The pro', features: FEATURES.pro },
    assignedAt: expect.any(String),
  })

  test.each([
    ['ACTIVE', 0],
    ['TRIALING', 0],
    ['CANCELED', 0],
    ['PAST_DUE', GRACE],
  ] as const)('when %s runs out', async (status, grace) => {
    await setEnd(status, 60_000)
    const newcomer = await hireLicensed(firm)
    service.advance(50_000 + grace)
    expect(await check(firm, worker)).toEqual(good())
    expect(await seatsOf(firm)).toMatchObject({ status })
    expect(await holders(firm)).toContain(newcomer.id)
    service.advance(20_000)
    expect(await check(firm, worker)).toEqual(NOTHING)
    expect(await holders(firm)).toEqual([])
    expect(await seatsOf(firm)).toMatchObject({ status: 'EXPIRED' })
    const refused = { status: 400, body: { details: { reason: 'SUBSCRIPTION_INACTIVE' } } }
    expect(await grant(firm, worker)).toMatchObject(refused)
    await setEnd('ACTIVE', 60_000)
    expect(await check(firm, worker)).toEqual(good())
  })

  test('when it is EXPIRED, whatever its end', async () => {
    for (const away of [60_000, -60_000]) {
      await setEnd('EXPIRED', away)
      expect(await check(firm, worker)).toEqual(NOTHING)
      expect(await holders(firm)).toEqual([])
    }
    await renew(firm, { status: 'EXPIRED', currentPeriodEnd: null })
    expect(await check(firm, worker)).toEqual(NOTHING)
    await renew(firm, { status: 'ACTIVE' })
    expect(await check(firm, worker)).toEqual(good())
  })

  test('and never when it has no end', async () => {
    for (const status of ['ACTIVE', 'TRIALING', 'CANCELED', 'PAST_DUE'] as const) {
      await renew(firm, { status, currentPeriodEnd: null })
      service.advance(400 * DAY)
      expect(await check(firm, worker)).toEqual(good())
      expect(await seatsOf(firm)).toMatchObject({ status })
    }
  })
})
