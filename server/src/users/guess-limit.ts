import {
  clearCounters,
  countRejection,
  createLimiter,
  incrementCounters,
  type LimitCounter,
  readAndClearCounters,
  readCounters,
  type Waits,
} from '../db/limiter.ts'
import type { Db } from '../db/open.ts'
import { type AppError, tooManyAttempts } from '../errors.ts'

/** A counter of wrong guesses with its limit. */
export interface GuessLimit extends LimitCounter {
  /** Whether a right guess resets the counter. */
  clearOnSuccess?: boolean
  /** Whether the caller may continue above the limit, because failures of others must not lock them out. */
  isExempt?(): Promise<boolean>
}

export interface Guess<T> {
  /** Resolves to undefined for a wrong guess. */
  attempt(): Promise<T | undefined>
  /** The error for a wrong guess. */
  toError(): AppError
  /**
   * Records a refused guess. `unchecked` means refused by the limit without a check; it is reported once per counter and
   * window, so that repeated attempts do not fill the log.
   */
  recordRefusal?(refused: 'wrong' | 'unchecked'): Promise<void>
}

/** Runs the attempt, unless a counter of wrong guesses has reached its limit: RATE_LIMITED. */
export async function limitGuesses<T>(
  db: Db,
  counts: GuessLimit[],
  { attempt, toError, recordRefusal }: Guess<T>,
): Promise<T> {
  const refuseAboveLimit = async (waits: Waits) => {
    const exceeded = await findExceeded(counts, waits)
    if (exceeded.length > 0) await refuse(db, exceeded, recordRefusal)
  }
  await refuseAboveLimit(await readCounters(db, counts))
  const result = await attempt()
  if (result === undefined) {
    await refuseAboveLimit(await incrementCounters(db, counts))
    await recordRefusal?.('wrong')
    throw toError()
  }
  // Concurrent guesses may all pass the first check, so a right one above the limit is refused like a wrong one.
  const resettable = counts.filter(({ clearOnSuccess }) => clearOnSuccess)
  const waits = await readAndClearCounters(db, counts, resettable)
  await refuseAboveLimit(waits)
  // An exempt caller passes although a counter is full; then the statement above has not cleared anything.
  if (waits.some((wait) => wait !== undefined)) await clearCounters(db, resettable)
  return result
}

interface ExceededLimit {
  count: GuessLimit
  /** Seconds until the window ends. */
  wait: number
}

/** The counters that are full, except those that the caller is exempt from. */
async function findExceeded(counts: GuessLimit[], waits: Waits): Promise<ExceededLimit[]> {
  const exceeded: ExceededLimit[] = []
  for (const [index, count] of counts.entries()) {
    const wait = waits[index]
    if (wait !== undefined && !(await count.isExempt?.())) exceeded.push({ count, wait })
  }
  return exceeded
}

async function refuse(
  db: Db,
  exceeded: ExceededLimit[],
  recordRefusal: Guess<unknown>['recordRefusal'],
): Promise<never> {
  for (const { count } of exceeded) countRejection(db, count.limit)
  const isFirst = await Promise.all(exceeded.map(({ count: { limit, key } }) => createLimiter(db, limit).isFirst(key)))
  if (isFirst.includes(true)) await recordRefusal?.('unchecked')
  throw tooManyAttempts(Math.max(...exceeded.map(({ wait }) => wait)))
}
