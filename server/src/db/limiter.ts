import { sql } from 'kysely'
import { tooManyAttempts } from '../errors.ts'
import { defineCounter } from '../lib/metrics/metrics.ts'
import { instrumentationOf } from './instrumentation.ts'
import type { Db } from './open.ts'

/** At most `max` attempts per `seconds`, counted from the first attempt (fixed window). */
export interface RateLimit {
  /** The prefix of the limit's keys. */
  name: string
  max: number
  seconds: number
}

/** A counter of a limit, for example for one account. */
export interface LimitCounter {
  limit: RateLimit
  key: string
}

/** For each counter that has reached its limit the seconds to wait; undefined for the others. */
export type Waits = (number | undefined)[]

export const RATE_LIMIT_REJECTIONS = defineCounter({
  name: 'latchkey_rate_limit_refusals_total',
  help: 'Attempts that were rejected by a rate limit, by limit',
  labels: { limiter: 'named' },
})

/** A rate limiter with counters in the database, shared by all nodes, with the clock of the database. */
export interface Limiter {
  /** Increments the counter. Returns the seconds to wait if the limit had been reached before. */
  count(key: string): Promise<number | undefined>
  /** True for the first call within the limit's time, so that a repeated event is reported once. */
  isFirst(key: string): Promise<boolean>
}

export const createLimiter = (db: Db, limit: RateLimit): Limiter => ({
  async count(key) {
    const [wait] = await incrementCounters(db, [{ limit, key }])
    if (wait !== undefined) countRejection(db, limit)
    return wait
  },
  async isFirst(key) {
    const reported = { limit: { ...limit, name: `${limit.name}-told`, max: 1 }, key }
    // Read before incrementing, so that a flood causes no writes. Of several concurrent calls one increments first.
    const [wait] = await readCounters(db, [reported])
    return wait === undefined && (await incrementCounters(db, [reported]))[0] === undefined
  },
})

/** Increments a counter. Throws RATE_LIMITED if its limit had been reached before. */
export async function countAgainstLimit(db: Db, limit: RateLimit, key: string): Promise<void> {
  const wait = await createLimiter(db, limit).count(key)
  if (wait !== undefined) throw tooManyAttempts(wait)
}

/** Counts a rejection in the metrics, for callers of `readCounters` and `incrementCounters`. */
export const countRejection = (db: Db, { name }: RateLimit): void =>
  instrumentationOf(db)?.metrics.count(RATE_LIMIT_REJECTIONS, { limiter: name })

interface CounterRow {
  key: string
  points: number
  /** The seconds until the counter expires. */
  left: number
}

/** `expire` is in milliseconds since the epoch. */
const NOW = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`
const LEFT = sql`greatest(1, ceil((expire - ${NOW}) / 1000.0))::int as left`

const toRowKey = ({ limit, key }: LimitCounter): string => `${limit.name}:${key}`

function toWaits(
  counts: LimitCounter[],
  rows: CounterRow[],
  isExceeded: (points: number, max: number) => boolean,
): Waits {
  return counts.map((count) => {
    const row = rows.find(({ key }) => key === toRowKey(count))
    return row && isExceeded(row.points, count.limit.max) ? row.left : undefined
  })
}

const isReached = (points: number, max: number) => points >= max
const isPassed = (points: number, max: number) => points > max

/** Reads several counters in one statement. */
export async function readCounters(db: Db, counts: LimitCounter[]): Promise<Waits> {
  const { rows } = await sql<CounterRow>`
    select key, points, ${LEFT} from throttle
    where key = any(${counts.map(toRowKey)}) and expire > ${NOW}`.execute(db)
  return toWaits(counts, rows, isReached)
}

/** Reads counters, and clears others in the same statement unless one of those read has reached its limit. */
export async function readAndClearCounters(db: Db, counts: LimitCounter[], cleared: LimitCounter[]): Promise<Waits> {
  const { rows } = await sql<CounterRow>`
    with counters as (
      select key, points, expire, points >= max as is_full
      from throttle
      join unnest(${counts.map(toRowKey)}::text[], ${counts.map(({ limit }) => limit.max)}::int[]) as limits (key, max)
        using (key)
      where expire > ${NOW}
    ), cleared as (
      delete from throttle where key = any(${cleared.map(toRowKey)}) and not exists (select from counters where is_full)
    )
    select key, points, ${LEFT} from counters`.execute(db)
  return toWaits(counts, rows, isReached)
}

/**
 * Increments several counters in one statement, always in the same order to avoid deadlocks. Returns a wait for those
 * that had reached their limit before.
 */
export async function incrementCounters(db: Db, counts: LimitCounter[]): Promise<Waits> {
  const durations = counts.map(({ limit }) => limit.seconds * 1000)
  const { rows } = await sql<CounterRow>`
    insert into throttle as counter (key, points, expire)
    select key, 1, ${NOW} + length from unnest(${counts.map(toRowKey)}::text[], ${durations}::bigint[]) as limits (key, length)
    order by key
    on conflict (key) do update set
      points = case when counter.expire <= ${NOW} then 1 else counter.points + 1 end,
      expire = case when counter.expire <= ${NOW} then excluded.expire else counter.expire end
    returning key, points, ${LEFT}`.execute(db)
  return toWaits(counts, rows, isPassed)
}

export async function clearCounters(db: Db, counts: LimitCounter[]): Promise<void> {
  await sql`delete from throttle where key = any(${counts.map(toRowKey)})`.execute(db)
}

/** Deletes counters that expired a day ago, a margin for clock differences. Skips counters that are in use. */
export async function deleteExpiredCounters(db: Db, now: Date): Promise<void> {
  const yesterday = now.getTime() - 86_400_000
  await sql`
    delete from throttle
    where key in (select key from throttle where expire < ${yesterday} for update skip locked)`.execute(db)
}
