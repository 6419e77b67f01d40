import { sql } from 'kysely'
import { defineCounter } from '../lib/figures.ts'
import { observationOf } from './observation.ts'
import type { Db } from './open.ts'

/** How much is as much as may be, within how long. */
export interface Limit {
  /** Keeps the counts of different limits apart. */
  name: string
  most: number
  seconds: number
}

/** One of the counts of a limit. */
export interface Count {
  limit: Limit
  /** Whose it is. */
  key: string
}

/** For each count that is full the seconds to wait; undefined for the others. */
export type Waits = (number | undefined)[]

export const REFUSALS = defineCounter({
  name: 'latchkey_rate_limit_refusals_total',
  help: 'Attempts that were turned away because there were too many, by limit',
  labels: { limiter: 'named' },
})

/** Counts in the database, so that all nodes count together, by its clock. */
export interface Limiter {
  /** Counts one more. Returns the seconds to wait when there had been as many as may be before. */
  count(key: string): Promise<number | undefined>
  /** Whether this is the first time in as long that anybody asks: what happens over and over is told once. */
  isNews(key: string): Promise<boolean>
}

export const createLimiter = (db: Db, limit: Limit): Limiter => ({
  async count(key) {
    const [wait] = await countOneMore(db, [{ limit, key }])
    if (wait !== undefined) noteRefused(db, limit)
    return wait
  },
  async isNews(key) {
    const told = { limit: { ...limit, name: `${limit.name}-told`, most: 1 }, key }
    // Looked at before it is counted, so that a flood writes nothing. Of several at once, one is the first.
    const [before] = await lookAt(db, [told])
    return before === undefined && (await countOneMore(db, [told]))[0] === undefined
  },
})

/** For whoever looks at counts and then turns somebody away. */
export const noteRefused = (db: Db, { name }: Limit): void =>
  observationOf(db)?.figures.count(REFUSALS, { limiter: name })

/** A count as the database keeps it, with the seconds that are left of its time. */
interface Kept {
  key: string
  points: number
  left: number
}

/** The milliseconds in which the ends of windows are kept. */
const NOW = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`
const LEFT = sql`greatest(1, ceil((expire - ${NOW}) / 1000.0))::int as left`

const nameOf = ({ limit, key }: Count): string => `${limit.name}:${key}`

function waitsOf(counts: Count[], kept: Kept[], isFull: (points: number, most: number) => boolean): Waits {
  return counts.map((count) => {
    const found = kept.find(({ key }) => key === nameOf(count))
    return found && isFull(found.points, count.limit.most) ? found.left : undefined
  })
}

const isFullBefore = (points: number, most: number) => points >= most
const isFullAfter = (points: number, most: number) => points > most

/** Looks at several counts in one statement. One that holds as many as may be is full. */
export async function lookAt(db: Db, counts: Count[]): Promise<Waits> {
  const { rows } = await sql<Kept>`
    select key, points, ${LEFT} from throttle
    where key = any(${counts.map(nameOf)}) and expire > ${NOW}`.execute(db)
  return waitsOf(counts, rows, isFullBefore)
}

/** The same, and clears some of them in the same statement, unless one that is looked at is full. */
export async function lookAndForgive(db: Db, counts: Count[], forgiven: Count[]): Promise<Waits> {
  const { rows } = await sql<Kept>`
    with kept as (
      select key, points, expire, points >= most as is_full
      from throttle
      join unnest(${counts.map(nameOf)}::text[], ${counts.map(({ limit }) => limit.most)}::int[]) as asked (key, most)
        using (key)
      where expire > ${NOW}
    ), cleared as (
      delete from throttle where key = any(${forgiven.map(nameOf)}) and not exists (select from kept where is_full)
    )
    select key, points, ${LEFT} from kept`.execute(db)
  return waitsOf(counts, rows, isFullBefore)
}

/**
 * Counts one more in each, in one statement and always in the same order, so that no two wait for each other. One
 * that had as many as may be before is full.
 */
export async function countOneMore(db: Db, counts: Count[]): Promise<Waits> {
  const lengths = counts.map(({ limit }) => limit.seconds * 1000)
  const { rows } = await sql<Kept>`
    insert into throttle as kept (key, points, expire)
    select key, 1, ${NOW} + length from unnest(${counts.map(nameOf)}::text[], ${lengths}::bigint[]) as asked (key, length)
    order by key
    on conflict (key) do update set
      points = case when kept.expire <= ${NOW} then 1 else kept.points + 1 end,
      expire = case when kept.expire <= ${NOW} then excluded.expire else kept.expire end
    returning key, points, ${LEFT}`.execute(db)
  return waitsOf(counts, rows, isFullAfter)
}

export async function forgive(db: Db, counts: Count[]): Promise<void> {
  await sql`delete from throttle where key = any(${counts.map(nameOf)})`.execute(db)
}

/** Removes counts that no longer matter, whatever the clocks of the nodes say. One that is counted just now stays. */
export async function forgetOldCounts(db: Db, now: Date): Promise<void> {
  const yesterday = now.getTime() - 86_400_000
  await sql`
    delete from throttle
    where key in (select key from throttle where expire < ${yesterday} for update skip locked)`.execute(db)
}
