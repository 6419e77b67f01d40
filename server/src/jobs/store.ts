import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { isConnected } from '../db/processes.ts'
import type { Job } from './job.ts'

/** Queues a job in the caller's transaction, so that it exists only if the transaction commits. */
export async function enqueue<P>(tx: Db, job: Job<P>, payload: P): Promise<void> {
  const priority = job.isSlow ? SLOW_PRIORITY : DEFAULT_PRIORITY
  await sql`
    select graphile_worker.add_job(${job.name}, ${JSON.stringify(payload)}::json, priority := ${priority})
  `.execute(tx)
}

// graphile-worker runs lower numbers first.
const DEFAULT_PRIORITY = 0
const SLOW_PRIORITY = 10

/** Unlocks jobs that were locked for longer than any job may run. A killed worker leaves its jobs locked. */
export async function releaseAbandonedJobs(db: Db, lockedForMs: number): Promise<void> {
  await sql`
    select graphile_worker.force_unlock_workers(
      array(
        select distinct locked_by from graphile_worker.jobs
        where locked_at <= now() - ${`${lockedForMs} milliseconds`}::interval
      )
    )
  `.execute(db)
}

/** Unlocks the jobs of processes that have been disconnected for the given time. */
export async function releaseJobsOfKilledProcesses(db: Db, goneForMs: number): Promise<void> {
  await sql`
    select graphile_worker.force_unlock_workers(
      array(
        select worker from processes
        where worker is not null and gone_at <= now() - ${`${goneForMs} milliseconds`}::interval
          and not ${isConnected(sql.ref('processes.number'))}
      )
    )
  `.execute(db)
}

/** Unlocks the jobs of workers that have ended. A worker may have ended before it received a job that it locked. */
export async function releaseJobsOfWorkers(db: Db, workers: string[]): Promise<void> {
  if (workers.length === 0) return
  await sql`select graphile_worker.force_unlock_workers(${workers}::text[])`.execute(db)
}

/** Makes the failed jobs of one task due now, because the cause of the failures is gone. */
export async function retryFailedJobs<P>(db: Db, job: Job<P>): Promise<void> {
  await sql`
    select graphile_worker.reschedule_jobs(
      array(
        select id from graphile_worker.jobs
        where task_identifier = ${job.name} and attempts > 0 and locked_at is null and run_at > now()
      ),
      run_at := now()
    )
  `.execute(db)
}

export interface QueuedTask {
  task: string
  waiting: number
  failing: number
  given_up: number
  oldest: number
}

/** Bounds the cost of counting a long queue: only the oldest jobs are counted. */
const MAX_COUNTED = 10_000

/** The queue by task. Jobs that are not retried any more stay in it until an operator deletes them. */
export const queuedTasksQuery = sql<QueuedTask>`
  select task_identifier as task,
    count(*) filter (where attempts < max_attempts) as waiting,
    count(*) filter (where attempts > 0 and attempts < max_attempts and locked_at is null) as failing,
    count(*) filter (where attempts >= max_attempts and locked_at is null) as given_up,
    coalesce(extract(epoch from now() - min(run_at) filter (
      where run_at <= now() and attempts < max_attempts and locked_at is null
    )), 0) as oldest
  from (
    select task_identifier, attempts, max_attempts, locked_at, run_at
    from graphile_worker.jobs order by id limit ${sql.lit(MAX_COUNTED)}
  ) as oldest_jobs
  group by task_identifier`
