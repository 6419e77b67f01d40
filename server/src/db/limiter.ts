import { CompiledQuery } from 'kysely'
import { RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible'
import type { Db } from './open.ts'

/** How much is as much as may be, within how long. */
export interface Limit {
  /** Keeps the counts of different limits apart. */
  name: string
  most: number
  seconds: number
}

/** Counts in the database, so that all nodes count together. The windows follow the clock of the node that opens them. */
export interface Limiter {
  /** Seconds to wait when there were as many as may be; undefined when there were not. */
  blockedFor(key: string): Promise<number | undefined>
  /** Counts one more. Returns the seconds to wait when there had been as many as may be before. */
  count(key: string): Promise<number | undefined>
  forgive(key: string): Promise<void>
  /** Whether this is the first time in as long that anybody asks: what happens over and over is told once. */
  isNews(key: string): Promise<boolean>
}

export function createLimiter(db: Db, limit: Limit): Limiter {
  const { name, most } = limit
  const limiter = openCounts(db, limit)
  const waitOf = (result: RateLimiterRes | null, free: number) =>
    result && result.consumedPoints > free ? Math.max(1, Math.ceil(result.msBeforeNext / 1000)) : undefined
  return {
    blockedFor: async (key) => waitOf(await limiter.get(key), most - 1),
    count: async (key) => waitOf(await limiter.penalty(key), most),
    forgive: async (key) => void (await limiter.delete(key)),
    async isNews(key) {
      const told = openCounts(db, { ...limit, name: `${name}-told` })
      // Looked at before it is counted, so that a flood writes nothing. Of several at once, one is the first.
      return (await told.get(key)) === null && (await told.penalty(key)).consumedPoints === 1
    },
  }
}

const openCounts = (db: Db, { name, most, seconds }: Limit): RateLimiterPostgres =>
  new RateLimiterPostgres({
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
    points: most,
    duration: seconds,
  })

/** Removes counts that no longer matter, whatever the clocks of the nodes say. */
export async function forgetOldCounts(db: Db, now: Date): Promise<void> {
  const yesterday = now.getTime() - 86_400_000
  await db.executeQuery(CompiledQuery.raw('delete from throttle where expire < $1', [yesterday]))
}
