import { sql } from 'kysely'
import { GRACE_DAYS } from './periods.ts'

/** The SQL form of `isUsable`. */
export const isUsableAt = (now: Date, table = 'subscriptions') => sql<boolean>`(
  ${sql.ref(`${table}.status`)} <> 'EXPIRED' and (
    ${sql.ref(`${table}.current_period_end`)} is null
    or ${sql.ref(`${table}.current_period_end`)} + make_interval(
      -- In hours, because a day of the session's time zone may have 23 or 25 hours.
      hours => case when ${sql.ref(`${table}.status`)} = 'PAST_DUE' then ${sql.lit(GRACE_DAYS * 24)} else 0 end
    ) > ${now}
  )
)`
