import { sql } from 'kysely'
import type { Db } from './open.ts'

const REFRESH_INTERVAL_MS = 60_000

/** The time that all nodes share. */
export interface Clock {
  now(): Date
  stop(): void
}

/**
 * Expiry uses the clock of the database. A query per request would cost a round trip, so the offset from the local
 * monotonic clock is measured once a minute. The local wall clock is not used, because it may be set forward or back.
 */
export async function startClock(db: Db): Promise<Clock> {
  let offset = await measureOffset(db, () => performance.now())
  const timer = setInterval(() => {
    // While the database is unreachable, the last offset is used.
    measureOffset(db, () => performance.now()).then(
      (measured) => {
        offset = measured
      },
      () => {},
    )
  }, REFRESH_INTERVAL_MS).unref()
  return { now: () => new Date(performance.now() + offset), stop: () => clearInterval(timer) }
}

/** How many milliseconds the clock of the database is ahead of another clock. */
export async function measureOffset(db: Db, read: () => number = Date.now): Promise<number> {
  const before = read()
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db)
  const after = read()
  return (rows[0]?.at.getTime() ?? after) - (before + after) / 2
}
