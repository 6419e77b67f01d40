import { EventEmitter, once } from 'node:events'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import {
  Logger,
  type ParsedCronItem,
  parseCronItems,
  run,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker'
import type pg from 'pg'
import type { Ctx } from '../context.ts'
import type { Connection } from '../db/open.ts'
import { nameWorker, noteGoneProcesses } from '../db/processes.ts'
import { RUNS } from './figures.ts'
import type { Job } from './job.ts'
import { openPatientPool } from './patient-pool.ts'
import { keepDoing } from './steady.ts'
import { releaseAbandonedJobs, releaseJobsOf, releaseJobsOfGone } from './store.ts'

/** No job may last longer; a lock older than this belongs to a worker that died. */
const LONGEST_JOB_MS = 5 * 60_000
/** A process that has been without a connection for so long was killed; its jobs are given to others. */
const GONE_MS = 5_000
const SWEEP_MS = 5_000
const RESTART_MS = 1_000
const CONCURRENCY = 2
/** How far back a tick is made up for that fell into a time without any worker. */
const CATCH_UP_MS = 60 * 60_000

export interface Worker {
  stop(): Promise<void>
}

/**
 * Works off the job queue on connections of its own, so that jobs and requests never wait for each other's. It
 * outlives outages of the database: it is started again until it is stopped.
 */
export async function startWorker(ctx: Ctx, connection: Connection, jobs: Job<never>[]): Promise<Worker> {
  // A bundled database has one service: whatever is locked now was locked by one that was killed.
  const alone = ctx.config.database.url === undefined && ctx.config.workers === 1
  await releaseAbandonedJobs(ctx.db, alone ? 0 : LONGEST_JOB_MS)
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
  const steady = jobs.flatMap((job) => (job.everyMs === undefined ? [] : [keepDoing(ctx, job, job.everyMs)]))
  return {
    async stop() {
      clearInterval(sweep)
      stopped.abort()
      await Promise.all([ended, ...steady.map(({ stop }) => stop())])
    },
  }
}

/** Gives others the jobs of workers that died. */
async function sweepJobs({ db }: Ctx): Promise<void> {
  await noteGoneProcesses(db)
  await releaseJobsOfGone(db, GONE_MS)
  await releaseAbandonedJobs(db, LONGEST_JOB_MS)
}

/** What there is to do, what of it is due by the clock, and where it is written down. */
interface Work {
  settings: pg.ClientConfig
  taskList: TaskList
  parsedCronItems: ParsedCronItem[]
}

async function keepRunning(ctx: Ctx, work: Work, stop: AbortSignal): Promise<void> {
  let troubled = false
  const ended = new Set<string>()
  while (!stop.aborted) {
    try {
      await releaseJobsOf(ctx.db, [...ended])
      ended.clear()
      await runOnce(work, {
        stop,
        onStart: (worker) => {
          ended.add(worker)
          nameWorker(ctx.db, { number: ctx.changes.processNumber, worker }).catch((err) =>
            ctx.log.warn({ err }, 'should this process be killed, its jobs will wait for minutes'),
          )
        },
        onWorking: () => {
          troubled = false
        },
      })
    } catch (err) {
      // One line for an outage, not one a second.
      if (!troubled) ctx.log.warn({ err }, 'job worker lost the database and will go on when it is back')
      troubled = true
    }
    await sleep(RESTART_MS, undefined, { signal: stop }).catch(() => {})
  }
}

interface Run {
  stop: AbortSignal
  /** Told the name under which jobs are taken. */
  onStart(worker: string): void
  /** The queue can be read. */
  onWorking(): void
}

/** Runs until told to stop, or until the queue cannot be read. */
async function runOnce(work: Work, { stop, onStart, onWorking }: Run): Promise<void> {
  const { settings, ...tasks } = work
  const events: WorkerEvents = new EventEmitter()
  const failed = new AbortController()
  const end = AbortSignal.any([stop, failed.signal])
  const pool = openPatientPool(settings, { size: CONCURRENCY + 2, stop, ending: end })
  events.once('pool:create', ({ workerPool }) => onStart(workerPool.id))
  // The library keeps a failed look-up of its task ids for ever; only a new runner looks again.
  events.once('worker:getJob:error', ({ error }) => failed.abort(error))
  events.once('worker:getJob:empty', onWorking)
  const untilNobodyLooks = watchLooking(events)
  try {
    const runner = await run({
      pgPool: pool,
      ...tasks,
      events,
      concurrency: CONCURRENCY,
      noHandleSignals: true,
      gracefulShutdownAbortTimeout: 2_000,
      // In batches, even if of one: only then does the library hear of it when a job could not be ended.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      logger: silentLogger,
    })
    const whenEnded = () => void untilNobodyLooks().then(() => runner.stop().catch(() => {}))
    if (end.aborted) whenEnded()
    else end.addEventListener('abort', whenEnded, { once: true })
    await runner.promise
  } finally {
    await pool.end()
  }
  failed.signal.throwIfAborted()
}

/** Longer than a look at the queue takes, unless the database does not answer. */
const LOOK_MS = 500

/** Waits until none is looking for a job: one that is stopped meanwhile, and does not find the database, prints a trace. */
function watchLooking(events: WorkerEvents): () => Promise<void> {
  const looking = new Set<string>()
  const found = new EventEmitter()
  const hasLooked = ({ worker }: { worker: { workerId: string } }) => {
    looking.delete(worker.workerId)
    found.emit('one')
  }
  events.on('worker:getJob:start', ({ worker }) => looking.add(worker.workerId))
  events.on('worker:getJob:error', hasLooked)
  events.on('worker:getJob:empty', hasLooked)
  events.on('job:start', hasLooked)
  return async () => {
    const patience = AbortSignal.timeout(LOOK_MS)
    while (looking.size > 0 && !patience.aborted)
      await once(found, 'one', { signal: patience }).catch(() => {})
    // The one who has looked last has yet to see what became of it.
    await setImmediate()
  }
}

function toTaskList(ctx: Ctx, jobs: Job<never>[]): TaskList {
  return Object.fromEntries(
    jobs.map((job) => [
      job.name,
      async (payload: unknown, { job: { attempts } }) => {
        const facts = { 'latchkey.job': job.name, 'latchkey.attempt': attempts }
        try {
          await ctx.tracer.trace(`job ${job.name}`, { kind: 'consumer', facts }, () =>
            job.run(ctx, payload as never),
          )
          ctx.figures.count(RUNS, { task: job.name, outcome: 'ok' })
        } catch (err) {
          ctx.figures.count(RUNS, { task: job.name, outcome: 'failed' })
          ctx.log.warn({ err, job: job.name, attempt: attempts }, 'job failed and will be tried again')
          throw err
        }
      },
    ]),
  )
}

/** Under the job's own key, so that ticks which nobody worked off do not pile up. */
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

/** Failures are logged above, with their attempt; the library's own chatter adds nothing. */
const silentLogger = new Logger(() => () => {})
