import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/open.ts'

/** More would tell nobody more. */
const MOST_SHOWN = 20

interface Check {
  /** What is wrong with what the statement finds. */
  what: string
  /** Finds `subject`, which names a thing that is not as it should be. */
  statement: RawBuilder<{ subject: string }>
}

const CHECKS: Check[] = [
  {
    what: 'the ledger of the tenant has a gap, or its revision is another',
    statement: sql`
      select coalesce(ledger.tenant_id, revisions.tenant_id)::text as subject
      from (select tenant_id, count(*) as entries, max(sequence) as last from license_ledger group by tenant_id) ledger
      full join license_revisions revisions using (tenant_id)
      where ledger.entries is distinct from ledger.last
        or coalesce(ledger.last, 0) <> coalesce(revisions.revision, 0)`,
  },
  {
    what: 'an entry of the ledger begins with something else than the one before it has left',
    statement: sql`
      select tenant_id || '/' || sequence as subject
      from (select tenant_id, sequence, before,
              lag(after) over (partition by tenant_id, subject, subject_id order by sequence) as left_behind
            from license_ledger) entries
      where before is distinct from left_behind`,
  },
  {
    what: 'the seat is not as the ledger tells',
    statement: sql`
      with told as (
        select distinct on (tenant_id, subject_id) subject_id, user_id, application_id, after
        from license_ledger where subject = 'seat' order by tenant_id, subject_id, sequence desc)
      select coalesce(seats.id, told.subject_id)::text as subject
      from seats full join (select * from told where after is not null) told on told.subject_id = seats.id
      where seats.id is null or told.subject_id is null
        or (seats.user_id, seats.application_id, seats.status, seats.license_type_id::text, seats.subscription_id::text)
          is distinct from (told.user_id, told.application_id, told.after ->> 'status', told.after ->> 'licenseTypeId',
            told.after ->> 'subscriptionId')`,
  },
  {
    what: 'the subscription is not as the ledger tells',
    statement: sql`
      with told as (
        select distinct on (tenant_id, subject_id) subject_id, after
        from license_ledger where subject = 'subscription' order by tenant_id, subject_id, sequence desc)
      select coalesce(subscriptions.id, told.subject_id)::text as subject
      from subscriptions full join (select * from told where after is not null) told on told.subject_id = subscriptions.id
      where subscriptions.id is null or told.subject_id is null
        or (subscriptions.status, subscriptions.license_type_id::text, subscriptions.quantity_purchased::text)
          is distinct from (told.after ->> 'status', told.after ->> 'licenseTypeId', told.after ->> 'quantityPurchased')`,
  },
  {
    what: 'the subscription counts other seats than there are',
    statement: sql`
      select subscriptions.id::text as subject
      from subscriptions left join seats on seats.subscription_id = subscriptions.id
      group by subscriptions.id
      having quantity_assigned <> count(*) filter (where seats.status = 'ASSIGNED')
        or quantity_reserved <> count(*) filter (where seats.status = 'RESERVED')`,
  },
]

export interface Contradiction {
  subject: string
  what: string
}

/** Does again what the ledger tells, and compares it with the seats and subscriptions that there are. */
export async function findContradictions(db: Db): Promise<Contradiction[]> {
  const found: Contradiction[] = []
  for (const { what, statement } of CHECKS) {
    const { rows } = await sql<{ subject: string }>`${statement} limit ${MOST_SHOWN}`.execute(db)
    found.push(...rows.map(({ subject }) => ({ subject, what })))
  }
  return found
}
