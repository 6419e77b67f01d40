import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { SubscriptionStatus } from '../../db/tables.ts'

export interface UsageWindow {
  tenantId: string
  applicationId: string
  /** The start of the first day. */
  from: Date
  /** The start of the last day. Entries dated later, by a clock that is ahead, count as today. */
  today: Date
}

export interface SubscriptionUsage {
  id: string
  purchased: number
  assigned: number
  status: SubscriptionStatus
  currentPeriodEnd: Date | null
}

/** The net change of a subscription's assigned seats on one day. */
export interface SeatDelta {
  day: string
  subscriptionId: string
  delta: number
}

/** A subscription before its first change on a day; null if it did not exist. */
export interface PriorTerms {
  day: string
  subscriptionId: string
  sequence: string
  before: { quantityPurchased: number; status: SubscriptionStatus; currentPeriodEnd: string | null } | null
}

export const listCurrentSubscriptions = (
  db: Db,
  { tenantId, applicationId }: Pick<UsageWindow, 'tenantId' | 'applicationId'>,
): Promise<SubscriptionUsage[]> =>
  db
    .selectFrom('subscriptions')
    .select(['id', 'quantity_purchased as purchased', 'quantity_assigned as assigned'])
    .select(['status', 'current_period_end as currentPeriodEnd'])
    .where('tenant_id', '=', tenantId)
    .where('application_id', '=', applicationId)
    .execute()

const inWindow = ({ tenantId, applicationId, from }: UsageWindow) => sql`
  license_ledger.tenant_id = ${tenantId} and license_ledger.application_id = ${applicationId}
  and license_ledger.occurred_at >= ${from}`

const ledgerDay = ({ today }: UsageWindow) => sql`to_char(
  least(license_ledger.occurred_at, ${today}::timestamptz) at time zone 'UTC', 'YYYY-MM-DD'
)`

/** An ASSIGNED state after an entry adds a seat, one before it removes a seat; a change of type has both. */
export async function listSeatDeltas(db: Db, window: UsageWindow): Promise<SeatDelta[]> {
  const { rows } = await sql<SeatDelta>`
    select ${ledgerDay(window)} as day, side.seat ->> 'subscriptionId' as "subscriptionId", sum(side.step)::int as delta
    from license_ledger cross join lateral (values (before, -1), (after, 1)) as side (seat, step)
    where ${inWindow(window)} and subject = 'seat' and side.seat ->> 'status' = 'ASSIGNED'
    group by 1, 2 having sum(side.step) <> 0
  `.execute(db)
  return rows
}

export async function listPriorTerms(db: Db, window: UsageWindow): Promise<PriorTerms[]> {
  const { rows } = await sql<PriorTerms>`
    select distinct on (subject_id, day) ${ledgerDay(window)} as day, subject_id as "subscriptionId", sequence, before
    from license_ledger where ${inWindow(window)} and subject = 'subscription'
    order by subject_id, day, sequence
  `.execute(db)
  return rows
}
