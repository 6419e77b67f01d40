import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SubscriptionStatus } from '../../src/db/tables.ts'
import { GRACE_DAYS, isUsable, toEffectiveStatus } from '../../src/licensing/periods.ts'
import { isUsableAt } from '../../src/licensing/periods-store.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import {
  addLicensedMember,
  changeSubscription,
  check,
  createLicensedTenant,
  DAY_MS,
  FEATURES,
  getSeatSummary,
  grant,
  type LicensedTenant,
  listHolderIds,
  NO_LICENSE,
  type TestMember,
} from './licensed-tenant.ts'

// Whether a subscription is usable is decided by the clock alone. No job runs in these tests.

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service?.close())

const STATUSES: SubscriptionStatus[] = ['ACTIVE', 'TRIALING', 'CANCELED', 'PAST_DUE', 'EXPIRED']
const END = new Date('2031-03-27T12:00:00.000Z')
const after = (ms: number) => new Date(END.getTime() + ms)
const GRACE_MS = GRACE_DAYS * DAY_MS

/** Times before, at and after the end of the period and of the grace days. */
const TIMES: [string, Date, 'term' | 'grace' | 'over'][] = [
  ['long before its end', after(-365 * DAY_MS), 'term'],
  ['a millisecond before its end', after(-1), 'term'],
  ['at its end', END, 'grace'],
  ['a millisecond after its end', after(1), 'grace'],
  ['a millisecond before the end of the grace days', after(GRACE_MS - 1), 'grace'],
  ['at the end of the grace days', after(GRACE_MS), 'over'],
  ['long after the end of the grace days', after(365 * DAY_MS), 'over'],
]

const CASES = STATUSES.flatMap((status) => [
  ...TIMES.map(([name, now, phase]) => {
    const usable = status !== 'EXPIRED' && (phase === 'term' || (phase === 'grace' && status === 'PAST_DUE'))
    return { name: `${status} ${name}`, status, end: END as Date | null, now, usable }
  }),
  {
    name: `${status} without an end`,
    status,
    end: null,
    now: after(9_999 * DAY_MS),
    usable: status !== 'EXPIRED',
  },
])

/** Evaluates the SQL form in a session with this time zone. */
const isUsableInSql = (zone: string, status: SubscriptionStatus, end: Date | null, now: Date) =>
  service.ctx.db.transaction().execute(async (tx) => {
    await sql`select set_config('TimeZone', ${zone}, true)`.execute(tx)
    const { rows } = await sql<{ usable: boolean }>`
      select ${isUsableAt(now, 'one')} as usable
      from (select ${status}::text as status, ${end}::timestamptz as current_period_end) as one
    `.execute(tx)
    return rows[0]?.usable
  })

describe('a subscription', () => {
  test.each(CASES)('that is $name: usable $usable', async ({ status, end, now, usable }) => {
    const period = { status, currentPeriodEnd: end }
    expect(isUsable(period, now)).toBe(usable)
    expect(toEffectiveStatus(period, now)).toBe(usable ? status : 'EXPIRED')
    expect(await isUsableInSql('UTC', status, end, now)).toBe(usable)
  })

  // The grace days of these include a change to or from daylight saving time.
  test.each(['Europe/Berlin', 'America/New_York'])(
    'is usable at the same times if the time zone of the database is %s',
    async (zone) => {
      for (const end of [END, new Date('2031-10-24T12:00:00.000Z'), new Date('2031-03-06T12:00:00.000Z')]) {
        for (const ms of [GRACE_MS - 1, GRACE_MS, GRACE_MS + 1_800_000, GRACE_MS - 1_800_000, GRACE_MS - DAY_MS]) {
          const now = new Date(end.getTime() + ms)
          const expected = isUsable({ status: 'PAST_DUE', currentPeriodEnd: end }, now)
          expect(await isUsableInSql(zone, 'PAST_DUE', end, now), `${zone} ${end.toISOString()} ${ms}`).toBe(expected)
        }
      }
    },
  )
})

describe('every route reflects it immediately', () => {
  let firm: LicensedTenant
  let worker: TestMember
  /** The test clock only moves forward, so each case sets its own end. */
  const setEnd = async (status: SubscriptionStatus, ms: number) => {
    const currentPeriodEnd = new Date(service.ctx.now().getTime() + ms)
    expect((await changeSubscription(firm, { status: 'ACTIVE', currentPeriodEnd: null })).status).toBe(200)
    expect((await changeSubscription(firm, { status, currentPeriodEnd })).status).toBe(200)
  }
  beforeAll(async () => {
    firm = await createLicensedTenant(service)
    worker = await addLicensedMember(firm)
  })

  const licensed = () => ({
    hasLicense: true,
    licenseType: 'pro',
    licenseTypeName: 'The pro',
    features: FEATURES.pro,
    assignedAt: expect.any(String),
  })

  test.each([
    ['ACTIVE', 0],
    ['TRIALING', 0],
    ['CANCELED', 0],
    ['PAST_DUE', GRACE_MS],
  ] as const)('when a subscription that is %s ends', async (status, grace) => {
    await setEnd(status, 60_000)
    const newcomer = await addLicensedMember(firm)
    service.advance(50_000 + grace)
    expect(await check(firm, worker)).toEqual(licensed())
    expect(await getSeatSummary(firm)).toMatchObject({ status })
    expect(await listHolderIds(firm)).toContain(newcomer.id)
    service.advance(20_000)
    expect(await check(firm, worker)).toEqual(NO_LICENSE)
    expect(await listHolderIds(firm)).toEqual([])
    expect(await getSeatSummary(firm)).toMatchObject({ status: 'EXPIRED' })
    const refusal = { status: 400, body: { details: { reason: 'SUBSCRIPTION_INACTIVE' } } }
    expect(await grant(firm, worker)).toMatchObject(refusal)
    await setEnd('ACTIVE', 60_000)
    expect(await check(firm, worker)).toEqual(licensed())
  })

  test('when it is EXPIRED, with any end', async () => {
    for (const ms of [60_000, -60_000]) {
      await setEnd('EXPIRED', ms)
      expect(await check(firm, worker)).toEqual(NO_LICENSE)
      expect(await listHolderIds(firm)).toEqual([])
    }
    await changeSubscription(firm, { status: 'EXPIRED', currentPeriodEnd: null })
    expect(await check(firm, worker)).toEqual(NO_LICENSE)
    await changeSubscription(firm, { status: 'ACTIVE' })
    expect(await check(firm, worker)).toEqual(licensed())
  })

  test('and it stays usable if it has no end', async () => {
    for (const status of ['ACTIVE', 'TRIALING', 'CANCELED', 'PAST_DUE'] as const) {
      await changeSubscription(firm, { status, currentPeriodEnd: null })
      service.advance(400 * DAY_MS)
      expect(await check(firm, worker)).toEqual(licensed())
      expect(await getSeatSummary(firm)).toMatchObject({ status })
    }
  })
})
