import type pg from 'pg'
import { openPool } from '../db/connections.ts'
import { untilBack } from '../db/until-back.ts'

/** How long to wait before the database is tried again. */
const RETRY_MS = 500

// The names under which the job library prepares its statements.
/** They end a job, and do no harm when they are repeated. */
const ENDS_JOB = /^(?:complete|fail)_job/
const TAKES_JOB = /^get_job/

interface Options {
  size: number
  /** From then on nothing is tried again. */
  stop: AbortSignal
  /** From then on nobody works on jobs: who looks for one finds none, whatever the database says. */
  ending: AbortSignal
}

type Query = (...args: unknown[]) => Promise<unknown>

/**
 * Connections for the job library, which ends at the first trouble with the database. These wait until it is back
 * instead: to be opened, and with a statement that ends a job. A job that is done is not done again because nobody
 * could write that down.
 */
export function openPatientPool(settings: pg.PoolConfig, { size, stop, ending }: Options): pg.Pool {
  const pool = openPool(settings, size)
  const patience = { stop, everyMs: RETRY_MS }
  const connect = pool.connect.bind(pool) as (...args: unknown[]) => Promise<pg.PoolClient>
  pool.connect = ((...args: unknown[]) =>
    // Whoever has a callback has patience of their own.
    args.length > 0 ? connect(...args) : untilBack(connect, patience)) as typeof pool.connect
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as Query
    client.query = ((...args: unknown[]) => {
      const { name = '' } = args[0] as pg.QueryConfig
      if (args.length > 1) return query(...args)
      if (ENDS_JOB.test(name)) return untilBack(first(query, pool.query.bind(pool) as Query, args), patience)
      if (TAKES_JOB.test(name)) return query(...args).catch((error) => noneIfEnding(error, ending))
      return query(...args)
    }) as typeof client.query
  })
  return pool
}

/** Asks one the first time, and the other from then on. */
function first(one: Query, other: Query, args: unknown[]): () => Promise<unknown> {
  let ask = one
  return () => {
    const answer = ask(...args)
    ask = other
    return answer
  }
}

function noneIfEnding(error: unknown, ending: AbortSignal): { rows: never[] } {
  if (ending.aborted) return { rows: [] }
  throw error
}
