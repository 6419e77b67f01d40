import { sql } from 'kysely'
import { GRACE_DAYS } from '../periods.ts'

/** Whether a subscription is good at a moment, as `isUsable` decides it. */
export const usableAt = (now: Date, table = 'subscriptions') => sql<boolean>`(
  ${sql.ref(`${table}.status`)} <> 'EXPIRED' and (
    ${sql.ref(`${table}.current_period_end`)} is null
    or ${sql.ref(`${table}.current_period_end`)} + make_interval(
      -- Not days: one of those may have 23 hours where the database stands.
      hours => case when ${sql.ref(`${table}.status`)} = 'PAST_DUE' then ${sql.lit(GRACE_DAYS * 24)} else 0 end
    ) > ${now}
  )
)`
