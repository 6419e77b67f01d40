import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import type { Action } from './catalog.ts'
import { firstIdSince, lastIdUntil } from './entry-ids.ts'

/** Bounds the cost of counting one day. */
const MAX_COUNTED = 10_000

interface Day {
  from: Date
  to: Date
}

/** The number of successful and failed sign-ins of each day, in the order of `days`. */
export async function countSignIns(db: Db, days: Day[]): Promise<{ succeeded: number; failed: number }[]> {
  const { rows } = await sql<{ succeeded: number; failed: number }>`
    select ${countOf('session.started')} as succeeded, ${countOf('session.refused')} as failed
    from unnest(
      ${days.map(({ from }) => from)}::timestamptz[], ${days.map(({ to }) => to)}::timestamptz[],
      ${days.map(({ from }) => firstIdSince(from))}::uuid[], ${days.map(({ to }) => lastIdUntil(to))}::uuid[]
    ) with ordinality as days (begins, ends, first_id, last_id, index)
    order by index
  `.execute(db)
  return rows
}

/** Ids grow with time, so that the index on action and id finds the entries of a day. */
const countOf = (action: Action) => sql`(
  select count(*)::int from (
    select from audit_entries
    where action = ${action} and id >= days.first_id and id < days.last_id
      and occurred_at >= days.begins and occurred_at < days.ends
    limit ${sql.lit(MAX_COUNTED)}
  ) as counted
)`
