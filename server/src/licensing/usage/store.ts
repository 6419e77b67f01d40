import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { SubscriptionStatus } from '../../db/tables.ts'

/** For what, and from the beginning of which day to the end of which. */
export interface Window {
  tenantId: string
  applicationId: string
  from: Date
  /** Its beginning. What a clock ahead of ours has dated later happened on it. */
  today: Date
}

export interface SubscriptionNow {
  id: string
  purchased: number
  assigned: number
  status: SubscriptionStatus
  currentPeriodEnd: Date | null
}

/** How the seats of a subscription became more or fewer on a day. */
export interface SeatMoves {
  day: string
  subscriptionId: string
  moved: number
}

/** How a subscription was before the first of its changes on a day; null: it was not there. */
export interface EarlierTerms {
  day: string
  subscriptionId: string
  sequence: string
  before: { quantityPurchased: number; status: SubscriptionStatus; currentPeriodEnd: string | null } | null
}

export const listSubscriptionsNow = (
  db: Db,
  { tenantId, applicationId }: Pick<Window, 'tenantId' | 'applicationId'>,
): Promise<SubscriptionNow[]> =>
  db
    .selectFrom('subscriptions')
    .select(['id', 'quantity_purchased as purchased', 'quantity_assigned as assigned'])
    .select(['status', 'current_period_end as currentPeriodEnd'])
    .where('tenant_id', '=', tenantId)
    .where('application_id', '=', applicationId)
    .execute()

const since = ({ tenantId, applicationId, from }: Window) => sql`
  license_ledger.tenant_id = ${tenantId} and license_ledger.application_id = ${applicationId}
  and license_ledger.occurred_at >= ${from}`

const dayOf = ({ today }: Window) => sql`to_char(
  least(license_ledger.occurred_at, ${today}::timestamptz) at time zone 'UTC', 'YYYY-MM-DD'
)`

/** A seat that became somebody's is one more, one that was is one less; whoever changes types does both. */
export async function listSeatMoves(db: Db, window: Window): Promise<SeatMoves[]> {
  const { rows } = await sql<SeatMoves>`
    select ${dayOf(window)} as day, side.seat ->> 'subscriptionId' as "subscriptionId", sum(side.step)::int as moved
    from license_ledger cross join lateral (values (before, -1), (after, 1)) as side (seat, step)
    where ${since(window)} and subject = 'seat' and side.seat ->> 'status' = 'ASSIGNED'
    group by 1, 2 having sum(side.step) <> 0
  `.execute(db)
  return rows
}

export async function listEarlierTerms(db: Db, window: Window): Promise<EarlierTerms[]> {
  const { rows } = await sql<EarlierTerms>`
    select distinct on (subject_id, day) ${dayOf(window)} as day, subject_id as "subscriptionId", sequence, before
    from license_ledger where ${since(window)} and subject = 'subscription'
    order by subject_id, day, sequence
  `.execute(db)
  return rows
}
