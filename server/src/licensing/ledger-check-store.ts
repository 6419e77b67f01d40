import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/open.ts'

/** The maximum number of mismatches reported by each check. */
const MAX_REPORTED = 20

interface Check {
  /** Describes what is wrong with each subject. */
  problem: string
  /** Selects the subjects for which the check fails. */
  statement: RawBuilder<{ subject: string }>
}

const CHECKS: Check[] = [
  {
    problem: 'the ledger of the tenant has a gap or does not end at its revision',
    statement: sql`
      select coalesce(ledger.tenant_id, revisions.tenant_id)::text as subject
      from (select tenant_id, count(*) as entries, max(sequence) as last from license_ledger group by tenant_id) ledger
      full join license_revisions revisions using (tenant_id)
      where ledger.entries is distinct from ledger.last
        or coalesce(ledger.last, 0) <> coalesce(revisions.revision, 0)`,
  },
  {
    problem: 'the state before the ledger entry differs from the state after the previous entry',
    statement: sql`
      select tenant_id || '/' || sequence as subject
      from (select tenant_id, sequence, before,
              lag(after) over (partition by tenant_id, subject, subject_id order by sequence) as previous_after
            from license_ledger) entries
      where before is distinct from previous_after`,
  },
  {
    problem: 'the seat differs from the ledger',
    statement: sql`
      with latest as (
        select distinct on (tenant_id, subject_id) subject_id, user_id, application_id, after
        from license_ledger where subject = 'seat' order by tenant_id, subject_id, sequence desc)
      select coalesce(seats.id, latest.subject_id)::text as subject
      from seats full join (select * from latest where after is not null) latest on latest.subject_id = seats.id
      where seats.id is null or latest.subject_id is null
        or (seats.user_id, seats.application_id, seats.status, seats.license_type_id::text, seats.subscription_id::text)
          is distinct from (latest.user_id, latest.application_id, latest.after ->> 'status',
            latest.after ->> 'licenseTypeId', latest.after ->> 'subscriptionId')`,
  },
  {
    problem: 'the subscription differs from the ledger',
    statement: sql`
      with latest as (
        select distinct on (tenant_id, subject_id) subject_id, after
        from license_ledger where subject = 'subscription' order by tenant_id, subject_id, sequence desc)
      select coalesce(subscriptions.id, latest.subject_id)::text as subject
      from subscriptions
      full join (select * from latest where after is not null) latest on latest.subject_id = subscriptions.id
      where subscriptions.id is null or latest.subject_id is null
        or (subscriptions.status, subscriptions.license_type_id::text, subscriptions.quantity_purchased::text)
          is distinct from (latest.after ->> 'status', latest.after ->> 'licenseTypeId',
            latest.after ->> 'quantityPurchased')`,
  },
  {
    problem: 'the seat counters of the subscription differ from its seats',
    statement: sql`
      select subscriptions.id::text as subject
      from subscriptions left join seats on seats.subscription_id = subscriptions.id
      group by subscriptions.id
      having quantity_assigned <> count(*) filter (where seats.status = 'ASSIGNED')
        or quantity_reserved <> count(*) filter (where seats.status = 'RESERVED')`,
  },
]

interface LedgerMismatch {
  subject: string
  problem: string
}

/** Compares the seats and subscriptions with their latest ledger entries. */
export async function findLedgerMismatches(db: Db): Promise<LedgerMismatch[]> {
  const mismatches: LedgerMismatch[] = []
  for (const { problem, statement } of CHECKS) {
    const { rows } = await sql<{ subject: string }>`${statement} limit ${MAX_REPORTED}`.execute(db)
    mismatches.push(...rows.map(({ subject }) => ({ subject, problem })))
  }
  return mismatches
}
