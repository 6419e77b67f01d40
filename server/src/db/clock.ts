import { sql } from 'kysely'
import type { Db } from './open.ts'

const REFRESH_MS = 60_000

/** The time all nodes agree on. */
export interface Clock {
  now(): Date
  stop(): void
}

/**
 * Expiry is judged by one clock: the database's. Asking it on every request would cost a round trip, so its
 * distance from a local clock is measured at the start and once a minute. That is one which only ever goes on: the
 * time of day may be set forward or back at any moment, and everybody would be signed out, or nothing would expire.
 */
export async function startClock(db: Db): Promise<Clock> {
  let offset = await measureOffset(db, () => performance.now())
  const timer = setInterval(() => {
    // While the database is away the last known distance is the best guess.
    measureOffset(db, () => performance.now()).then(
      (measured) => {
        offset = measured
      },
      () => {},
    )
  }, REFRESH_MS).unref()
  return { now: () => new Date(performance.now() + offset), stop: () => clearInterval(timer) }
}

/** How far the database's clock is ahead of another, in milliseconds. */
export async function measureOffset(db: Db, read: () => number = Date.now): Promise<number> {
  const before = read()
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db)
  const after = read()
  return (rows[0]?.at.getTime() ?? after) - (before + after) / 2
}
