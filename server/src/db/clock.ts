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
 * distance from the local clock is measured at the start and once a minute.
 */
export async function startClock(db: Db): Promise<Clock> {
  let offset = await measureOffset(db)
  const timer = setInterval(() => {
    // While the database is away the last known distance is the best guess.
    measureOffset(db).then(
      (measured) => {
        offset = measured
      },
      () => {},
    )
  }, REFRESH_MS).unref()
  return { now: () => new Date(Date.now() + offset), stop: () => clearInterval(timer) }
}

export async function measureOffset(db: Db): Promise<number> {
  const before = Date.now()
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db)
  const after = Date.now()
  return (rows[0]?.at.getTime() ?? after) - (before + after) / 2
}
