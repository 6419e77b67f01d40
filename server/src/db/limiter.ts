import { CompiledQuery } from 'kysely'
import { RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible'
import type { Db } from './open.ts'

/** How many failures are too many, within how long. */
export interface Limit {
  /** Keeps the counts of different limits apart. */
  name: string
  failures: number
  seconds: number
}

/** Counts failures in the database, so that all nodes count together. */
export interface Limiter {
  /** Seconds to wait when there were as many as may be; undefined when there were not. */
  blockedFor(key: string): Promise<number | undefined>
  /** Counts one more. Returns the seconds to wait when there had been as many as may be before. */
  fail(key: string): Promise<number | undefined>
  forgive(key: string): Promise<void>
}

export function createLimiter(db: Db, { name, failures, seconds }: Limit): Limiter {
  const limiter = new RateLimiterPostgres({
    // Looks to it like a client of pg.
    storeClient: {
      async query({ text, values }: { text: string; values: unknown[] }) {
        const { rows } = await db.executeQuery(CompiledQuery.raw(text, values))
        return { rows, rowCount: rows.length }
      },
    },
    storeType: 'client',
    tableName: 'throttle',
    tableCreated: true,
    // A job of ours sweeps what has run out.
    clearExpiredByTimeout: false,
    keyPrefix: name,
    points: failures,
    duration: seconds,
  })
  const waitOf = (result: RateLimiterRes | null, most: number) =>
    result && result.consumedPoints > most ? Math.max(1, Math.ceil(result.msBeforeNext / 1000)) : undefined
  return {
    blockedFor: async (key) => waitOf(await limiter.get(key), failures - 1),
    fail: async (key) => waitOf(await limiter.penalty(key), failures),
    forgive: async (key) => void (await limiter.delete(key)),
  }
}

/** Counts that no longer matter. */
export async function forgetOldFailures(db: Db): Promise<void> {
  await db.executeQuery(CompiledQuery.raw('delete from throttle where expire < $1', [Date.now()]))
}
