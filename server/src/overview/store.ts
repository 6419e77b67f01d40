import { sql } from 'kysely'
import { auditCollector } from '../audit/chain/metrics.ts'
import type { Db } from '../db/open.ts'
import { webhooksCollector } from '../events/dispatch/metrics.ts'
import { jobsCollector } from '../jobs/metrics.ts'
import { mailCollector } from '../mail/metrics.ts'

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

const MAX_EXACT_COUNT = 10_000

/** The exact number of sessions up to the limit, and above it the estimate of the planner. */
const SESSIONS = sql`(
  select case when count < ${sql.lit(MAX_EXACT_COUNT)} then count else greatest(count, estimate) end
  from
    (select count(*)::int as count from (select from sessions limit ${sql.lit(MAX_EXACT_COUNT)}) as limited) as counted,
    (select reltuples::int as estimate from pg_class where oid = 'sessions'::regclass) as estimated
)`

/** The total of users comes from a table that triggers maintain. Partial indexes serve the rare states. */
export async function countObjects(db: Db): Promise<Counts> {
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

export interface Backlog {
  mailWaiting: number
  jobsWaiting: number
  webhooksWaiting: number
  webhooksDisabled: number
  auditBehind: number
}

/** Uses the queries of the metrics, so that both report the same numbers. */
export async function countBacklog(db: Db): Promise<Backlog> {
  const { rows } = await sql<Backlog>`
    select
      (select waiting::int from (${mailCollector.query}) as mail) as "mailWaiting",
      (select coalesce(sum(waiting), 0)::int from (${jobsCollector([]).query}) as queue) as "jobsWaiting",
      (select waiting::int from (${webhooksCollector.query}) as deliveries) as "webhooksWaiting",
      (select count(*)::int from webhooks where disabled_at is not null) as "webhooksDisabled",
      (select pending::int from (${auditCollector.query}) as chain) as "auditBehind"
  `.execute(db)
  return rows[0] as Backlog
}
