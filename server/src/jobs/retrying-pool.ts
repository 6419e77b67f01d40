import type pg from 'pg'
import { openPool } from '../db/connections.ts'
import { retryWhileDisconnected } from '../db/retry.ts'

/** The pause between connection attempts. */
const RETRY_MS = 500

// The names of the prepared statements of graphile-worker.
/** These statements finish a job and are idempotent. */
const FINISH_JOB = /^(?:complete|fail)_job/
const GET_JOB = /^get_job/

interface Options {
  size: number
  /** No retries after this aborts. */
  stop: AbortSignal
  /** After this aborts, a failed query for the next job returns no job instead of an error. */
  ending: AbortSignal
}

type Query = (...args: unknown[]) => Promise<unknown>

/**
 * A connection pool for graphile-worker, which stops at the first connection error. This pool retries instead, both
 * when it connects and when it finishes a job. A completed job is therefore not run again because its completion could
 * not be saved.
 */
export function openRetryingPool(settings: pg.PoolConfig, { size, stop, ending }: Options): pg.Pool {
  const pool = openPool(settings, size)
  const retry = { stop, everyMs: RETRY_MS }
  const connect = pool.connect.bind(pool) as (...args: unknown[]) => Promise<pg.PoolClient>
  pool.connect = ((...args: unknown[]) =>
    // Callers with a callback retry themselves.
    args.length > 0 ? connect(...args) : retryWhileDisconnected(connect, retry)) as typeof pool.connect
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as Query
    client.query = ((...args: unknown[]) => {
      const { name = '' } = args[0] as pg.QueryConfig
      if (args.length > 1) return query(...args)
      if (FINISH_JOB.test(name))
        return retryWhileDisconnected(firstThen(query, pool.query.bind(pool) as Query, args), retry)
      if (GET_JOB.test(name)) return query(...args).catch((error) => noJobIfEnding(error, ending))
      return query(...args)
    }) as typeof client.query
  })
  return pool
}

/** Calls `first` for the first attempt and `retry` for all others. */
function firstThen(first: Query, retry: Query, args: unknown[]): () => Promise<unknown> {
  let query = first
  return () => {
    const result = query(...args)
    query = retry
    return result
  }
}

function noJobIfEnding(error: unknown, ending: AbortSignal): { rows: never[] } {
  if (ending.aborted) return { rows: [] }
  throw error
}
