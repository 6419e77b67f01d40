import { sql } from 'kysely'
import { auditReading } from '../audit/chain/figures.ts'
import type { Db } from '../db/open.ts'
import { webhooksReading } from '../events/dispatch/figures.ts'
import { jobsReading } from '../jobs/figures.ts'
import { mailReading } from '../mail/figures.ts'

export interface Counts {
  users: number
  disabled: number
  deletionRequested: number
  tenants: number
  suspended: number
  applications: number
  clients: number
  sessions: number
}

/** From here on an estimate will do. */
const MOST_COUNTED = 10_000

/** How many sessions there are: counted while they are few, else as many as the database believes there are. */
const SESSIONS = sql`(
  select case when few < ${sql.lit(MOST_COUNTED)} then few else greatest(few, estimate) end
  from
    (select count(*)::int as few from (select from sessions limit ${sql.lit(MOST_COUNTED)}) as first_ones) as counted,
    (select reltuples::int as estimate from pg_class where oid = 'sessions'::regclass) as known
)`

/** What there is. Users are counted as they come and go; of whom something is seldom so, an index has the few. */
export async function countEverything(db: Db): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select
      (select coalesce(sum(change), 0)::int from user_counts) as users,
      (select count(*)::int from users where disabled) as disabled,
      (select count(*)::int from users where deletion_requested_at is not null) as "deletionRequested",
      (select count(*)::int from tenants) as tenants,
      (select count(*)::int from tenants where suspended_at is not null) as suspended,
      (select count(*)::int from applications where not built_in) as applications,
      (
        select count(*)::int from clients join applications on applications.id = clients.application_id
        where not applications.built_in
      ) as clients,
      ${SESSIONS} as sessions
  `.execute(db)
  return rows[0] as Counts
}

export interface Waiting {
  mailWaiting: number
  jobsWaiting: number
  webhooksWaiting: number
  webhooksDisabled: number
  auditBehind: number
}

/** What is not done yet, by the very questions that the figures for monitoring ask. */
export async function countWaiting(db: Db): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    select
      (select waiting::int from (${mailReading.question}) as mail) as "mailWaiting",
      (select coalesce(sum(waiting), 0)::int from (${jobsReading([]).question}) as queue) as "jobsWaiting",
      (select waiting::int from (${webhooksReading.question}) as deliveries) as "webhooksWaiting",
      (select count(*)::int from webhooks where disabled_at is not null) as "webhooksDisabled",
      (select pending::int from (${auditReading.question}) as chain) as "auditBehind"
  `.execute(db)
  return rows[0] as Waiting
}
