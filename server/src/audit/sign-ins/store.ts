import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { Action } from '../catalogue.ts'
import { firstIdSince, lastIdUntil } from '../entry-ids.ts'

/** However many there were on a day, no more are counted. */
const MOST_COUNTED = 10_000

interface Day {
  from: Date
  to: Date
}

/** For each of some days, in their order, how many sign-ins the log tells of. */
export async function countSignIns(db: Db, days: Day[]): Promise<{ succeeded: number; failed: number }[]> {
  const { rows } = await sql<{ succeeded: number; failed: number }>`
    select ${ofKind('session.started')} as succeeded, ${ofKind('session.refused')} as failed
    from unnest(
      ${days.map(({ from }) => from)}::timestamptz[], ${days.map(({ to }) => to)}::timestamptz[],
      ${days.map(({ from }) => firstIdSince(from))}::uuid[], ${days.map(({ to }) => lastIdUntil(to))}::uuid[]
    ) with ordinality as days (begins, ends, first_id, last_id, place)
    order by place
  `.execute(db)
  return rows
}

/** The index of kinds leads to the entries of a day: ids grow with time. */
const ofKind = (action: Action) => sql`(
  select count(*)::int from (
    select from audit_entries
    where action = ${action} and id >= days.first_id and id < days.last_id
      and occurred_at >= days.begins and occurred_at < days.ends
    limit ${sql.lit(MOST_COUNTED)}
  ) as counted
)`
