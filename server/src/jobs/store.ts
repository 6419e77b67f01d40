import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { isConnected } from '../db/processes.ts'
import type { Job } from './job.ts'

/** Queues a job in the caller's transaction: it exists exactly if its cause does. */
export async function enqueue<P>(tx: Db, job: Job<P>, payload: P): Promise<void> {
  const priority = job.isSlow ? TAKEN_LAST : TAKEN_FIRST
  await sql`
    select graphile_worker.add_job(${job.name}, ${JSON.stringify(payload)}::json, priority := ${priority})
  `.execute(tx)
}

const [TAKEN_FIRST, TAKEN_LAST] = [0, 10]

/** Jobs taken by a worker that died stay locked; those locked for longer than any job may last are given back. */
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

/** Gives back what processes have taken that have been gone for a while. */
export async function releaseJobsOfGone(db: Db, goneForMs: number): Promise<void> {
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

/** Gives back what workers have taken that have ended since. They may not have heard that they had a job. */
export async function releaseJobsOf(db: Db, workers: string[]): Promise<void> {
  if (workers.length === 0) return
  await sql`select graphile_worker.force_unlock_workers(${workers}::text[])`.execute(db)
}

/** Makes the failed jobs of one kind due at once, because what they failed on works again. */
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

export interface QueuedWork {
  task: string
  waiting: number
  failing: number
  given_up: number
  oldest: number
}

/** However long the queue is, no more of it is looked at than its oldest jobs. */
const MOST_COUNTED = 10_000

/** What is queued, by kind of work. Work that was given up lies there until somebody looks at it. */
export const queuedWork = sql<QueuedWork>`
  select task_identifier as task,
    count(*) filter (where attempts < max_attempts) as waiting,
    count(*) filter (where attempts > 0 and attempts < max_attempts and locked_at is null) as failing,
    count(*) filter (where attempts >= max_attempts and locked_at is null) as given_up,
    coalesce(extract(epoch from now() - min(run_at) filter (
      where run_at <= now() and attempts < max_attempts and locked_at is null
    )), 0) as oldest
  from (
    select task_identifier, attempts, max_attempts, locked_at, run_at
    from graphile_worker.jobs order by id limit ${sql.lit(MOST_COUNTED)}
  ) as oldest_jobs
  group by task_identifier`
