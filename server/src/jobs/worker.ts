import { setTimeout as sleep } from 'node:timers/promises'
import { Logger, type Runner, run, type TaskList } from 'graphile-worker'
import type pg from 'pg'
import type { Ctx } from '../context.ts'
import { type Connection, openQuietPool } from '../db/open.ts'
import type { Job } from './job.ts'
import { releaseAbandonedJobs } from './store.ts'

/** No job may last longer; a lock older than this belongs to a worker that died. */
const LONGEST_JOB_MS = 5 * 60_000
const SWEEP_MS = 60_000
const RESTART_MS = 1_000
const CONCURRENCY = 2

export interface Worker {
  stop(): Promise<void>
}

/**
 * Works off the job queue on connections of its own, so that jobs and requests never wait for each other's. It
 * outlives outages of the database: it is started again until it is stopped.
 */
export async function startWorker(ctx: Ctx, connection: Connection, jobs: Job<never>[]): Promise<Worker> {
  // A bundled database has one service: whatever is locked now was locked by one that was killed.
  const alone = ctx.config.database.url === undefined
  await releaseAbandonedJobs(ctx.db, alone ? 0 : LONGEST_JOB_MS)
  const sweep = setInterval(() => {
    releaseAbandonedJobs(ctx.db, LONGEST_JOB_MS).catch((err) => ctx.log.warn({ err }, 'job sweep failed'))
  }, SWEEP_MS).unref()
  const pool = openQuietPool(connection.direct, CONCURRENCY + 2)
  const stopped = new AbortController()
  const ended = keepRunning(ctx, pool, toTaskList(ctx, jobs), stopped.signal)
  return {
    async stop() {
      clearInterval(sweep)
      stopped.abort()
      await ended
      await pool.end()
    },
  }
}

async function keepRunning(ctx: Ctx, pool: pg.Pool, taskList: TaskList, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    let runner: Runner | undefined
    const end = () => void runner?.stop().catch(() => {})
    try {
      runner = await run({
        pgPool: pool,
        taskList,
        concurrency: CONCURRENCY,
        noHandleSignals: true,
        gracefulShutdownAbortTimeout: 2_000,
        logger: silentLogger,
      })
      stop.addEventListener('abort', end, { once: true })
      if (stop.aborted) end()
      await runner.promise
    } catch (err) {
      if (!stop.aborted) ctx.log.warn({ err }, 'job worker stopped and will be started again')
    } finally {
      stop.removeEventListener('abort', end)
    }
    await sleep(RESTART_MS, undefined, { signal: stop }).catch(() => {})
  }
}

function toTaskList(ctx: Ctx, jobs: Job<never>[]): TaskList {
  return Object.fromEntries(
    jobs.map((job) => [
      job.name,
      async (payload: unknown, { job: { attempts } }) => {
        try {
          await job.run(ctx, payload as never)
        } catch (err) {
          ctx.log.warn({ err, job: job.name, attempt: attempts }, 'job failed and will be tried again')
          throw err
        }
      },
    ]),
  )
}

/** Failures are logged above, with their attempt; the library's own chatter adds nothing. */
const silentLogger = new Logger(() => () => {})
