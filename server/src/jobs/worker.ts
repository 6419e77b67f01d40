import { EventEmitter, once } from 'node:events'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { Logger, type ParsedCronItem, parseCronItems, run, type TaskList, type WorkerEvents } from 'graphile-worker'
import type pg from 'pg'
import type { Ctx } from '../context.ts'
import type { Connection } from '../db/open.ts'
import { markGoneProcesses, recordWorkerId } from '../db/processes.ts'
import { startIntervalJob } from './interval-job.ts'
import type { Job } from './job.ts'
import { RUNS } from './metrics.ts'
import { openRetryingPool } from './retrying-pool.ts'
import { releaseAbandonedJobs, releaseJobsOfKilledProcesses, releaseJobsOfWorkers } from './store.ts'

/** No job may run longer. An older lock belongs to a killed worker. */
const MAX_JOB_MS = 5 * 60_000
/** A process that is disconnected for this long counts as killed. Its jobs are unlocked. */
const GONE_MS = 5_000
const SWEEP_MS = 5_000
const RESTART_MS = 1_000
const CONCURRENCY = 2
/** Missed cron ticks are made up for within this period. */
const CATCH_UP_MS = 60 * 60_000

export interface Worker {
  stop(): Promise<void>
}

/**
 * Processes the job queue on separate connections, so that jobs and requests do not compete for connections. After a
 * database outage it is restarted until it is stopped.
 */
export async function startWorker(ctx: Ctx, connection: Connection, jobs: Job<never>[]): Promise<Worker> {
  // A bundled database has one service, so every existing lock belongs to a killed process.
  const isOnlyProcess = ctx.config.database.url === undefined && ctx.config.workers === 1
  await releaseAbandonedJobs(ctx.db, isOnlyProcess ? 0 : MAX_JOB_MS)
  const sweep = setInterval(() => {
    sweepJobs(ctx).catch((err) => ctx.log.warn({ err }, 'job sweep failed'))
  }, SWEEP_MS).unref()
  const stopped = new AbortController()
  const work = {
    settings: connection.direct,
    taskList: toTaskList(ctx, jobs),
    parsedCronItems: toCronItems(jobs),
  }
  const ended = keepRunning(ctx, work, stopped.signal)
  const intervalJobs = jobs.flatMap((job) =>
    job.everyMs === undefined ? [] : [startIntervalJob(ctx, job, job.everyMs)],
  )
  return {
    async stop() {
      clearInterval(sweep)
      // graphile-worker never forgets a pool, and so this reason. The default one has a stack trace with all callers.
      stopped.abort('the worker is stopped')
      await Promise.all([ended, ...intervalJobs.map(({ stop }) => stop())])
    },
  }
}

/** Unlocks the jobs of killed workers. */
async function sweepJobs({ db }: Ctx): Promise<void> {
  await markGoneProcesses(db)
  await releaseJobsOfKilledProcesses(db, GONE_MS)
  await releaseAbandonedJobs(db, MAX_JOB_MS)
}

/** The tasks, their schedules and the database of the queue. */
interface Work {
  settings: pg.ClientConfig
  taskList: TaskList
  parsedCronItems: ParsedCronItem[]
}

async function keepRunning(ctx: Ctx, work: Work, stop: AbortSignal): Promise<void> {
  let isFailing = false
  const ended = new Set<string>()
  while (!stop.aborted) {
    try {
      await releaseJobsOfWorkers(ctx.db, [...ended])
      ended.clear()
      await runOnce(work, {
        stop,
        onStart: (worker) => {
          ended.add(worker)
          recordWorkerId(ctx.db, { number: ctx.changes.processNumber, worker }).catch((err) =>
            ctx.log.warn(
              { err },
              'the worker could not be registered: if this process is killed, its jobs are delayed by minutes',
            ),
          )
        },
        onWorking: () => {
          isFailing = false
        },
      })
    } catch (err) {
      // Log an outage once, not every second.
      if (!isFailing) ctx.log.warn({ err }, 'job worker lost the database and will continue when it is back')
      isFailing = true
    }
    await sleep(RESTART_MS, undefined, { signal: stop }).catch(() => {})
  }
}

interface RunOptions {
  stop: AbortSignal
  /** Called with the name under which jobs are locked. */
  onStart(worker: string): void
  /** Called when the queue was read successfully. */
  onWorking(): void
}

/** Runs until it is stopped or the queue cannot be read. */
async function runOnce(work: Work, { stop, onStart, onWorking }: RunOptions): Promise<void> {
  const { settings, ...tasks } = work
  const events: WorkerEvents = new EventEmitter()
  const failed = new AbortController()
  const end = AbortSignal.any([stop, failed.signal])
  const pool = openRetryingPool(settings, { size: CONCURRENCY + 2, stop, ending: end })
  events.once('pool:create', ({ workerPool }) => onStart(workerPool.id))
  // graphile-worker caches a failed lookup of its task ids forever. Only a new runner repeats it.
  events.once('worker:getJob:error', ({ error }) => failed.abort(error))
  events.once('worker:getJob:empty', onWorking)
  const waitForLookups = trackLookups(events)
  try {
    const runner = await run({
      pgPool: pool,
      ...tasks,
      events,
      concurrency: CONCURRENCY,
      noHandleSignals: true,
      gracefulShutdownAbortTimeout: 2_000,
      // Batching is required: only then does graphile-worker report that a job could not be finished.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      logger: silentLogger,
    })
    const stopRunner = () => void waitForLookups().then(() => runner.stop().catch(() => {}))
    if (end.aborted) stopRunner()
    else end.addEventListener('abort', stopRunner, { once: true })
    await runner.promise
  } finally {
    await pool.end()
  }
  failed.signal.throwIfAborted()
}

/** Longer than a query of the queue takes, unless the database does not answer. */
const LOOKUP_TIMEOUT_MS = 500

/** Waits until no query for a job is running. A runner that is stopped during a failing query prints a stack trace. */
function trackLookups(events: WorkerEvents): () => Promise<void> {
  const pending = new Set<string>()
  const settled = new EventEmitter()
  const settle = ({ worker }: { worker: { workerId: string } }) => {
    pending.delete(worker.workerId)
    settled.emit('lookup')
  }
  events.on('worker:getJob:start', ({ worker }) => pending.add(worker.workerId))
  events.on('worker:getJob:error', settle)
  events.on('worker:getJob:empty', settle)
  events.on('job:start', settle)
  return async () => {
    const timeout = AbortSignal.timeout(LOOKUP_TIMEOUT_MS)
    while (pending.size > 0 && !timeout.aborted) await once(settled, 'lookup', { signal: timeout }).catch(() => {})
    // The last runner handles the result in the next turn of the event loop.
    await setImmediate()
  }
}

function toTaskList(ctx: Ctx, jobs: Job<never>[]): TaskList {
  return Object.fromEntries(
    jobs.map((job) => [
      job.name,
      async (payload: unknown, { job: { attempts } }) => {
        const attributes = { 'latchkey.job': job.name, 'latchkey.attempt': attempts }
        try {
          await ctx.tracer.trace(`job ${job.name}`, { kind: 'consumer', attributes }, () =>
            job.run(ctx, payload as never),
          )
          ctx.metrics.count(RUNS, { task: job.name, outcome: 'ok' })
        } catch (err) {
          ctx.metrics.count(RUNS, { task: job.name, outcome: 'failed' })
          ctx.log.warn({ err, job: job.name, attempt: attempts }, 'job failed and will be retried')
          throw err
        }
      },
    ]),
  )
}

/** Keyed by the job name, so that unprocessed ticks do not accumulate. */
const toCronItems = (jobs: Job<never>[]): ParsedCronItem[] =>
  parseCronItems(
    jobs.flatMap(({ name, schedule }) =>
      schedule === undefined
        ? []
        : [
            {
              task: name,
              match: schedule,
              options: { backfillPeriod: CATCH_UP_MS, jobKey: name, jobKeyMode: 'replace' },
            },
          ],
    ),
  )

/** Failures are logged above. */
const silentLogger = new Logger(() => () => {})
