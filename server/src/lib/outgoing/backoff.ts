import { randomInt } from 'node:crypto'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** The minimum and maximum delay after the first failed attempt, the second, and so on. */
const DELAYS: [from: number, to: number][] = [
  [5 * SECOND_MS, 6 * SECOND_MS],
  [30 * SECOND_MS, 36 * SECOND_MS],
  [2 * MINUTE_MS, 2.4 * MINUTE_MS],
  [10 * MINUTE_MS, 12 * MINUTE_MS],
  [30 * MINUTE_MS, 36 * MINUTE_MS],
  [HOUR_MS, 1.2 * HOUR_MS],
  [2 * HOUR_MS, 2.4 * HOUR_MS],
  [4 * HOUR_MS, 4.8 * HOUR_MS],
]
const FINAL_DELAY: [from: number, to: number] = [4 * HOUR_MS, 6 * HOUR_MS]

/** A message is retried for this long. */
export const MAX_RETRY_MS = 72 * HOUR_MS
/** The upper bound for Retry-After. */
const MAX_RETRY_AFTER_MS = 6 * HOUR_MS

interface FailedAttempt {
  /** The number of the failed attempt, starting at 1. */
  attempt: number
  firstAttemptAt: Date
  now: Date
  /** The Retry-After header of the response (RFC 9110 §10.2.3). */
  retryAfter: string | undefined
}

/** Returns undefined when the retry period is over. The last attempt is made at its end. */
export function nextAttemptAt({ attempt, firstAttemptAt, now, retryAfter }: FailedAttempt): Date | undefined {
  const end = firstAttemptAt.getTime() + MAX_RETRY_MS
  if (now.getTime() >= end) return undefined
  const [from, to] = DELAYS[attempt - 1] ?? FINAL_DELAY
  const requested = Math.min(toDelay(retryAfter, now) ?? 0, MAX_RETRY_AFTER_MS)
  // A receiver may lengthen the delay, but not shorten it.
  const delay = Math.max(randomInt(from, to), requested)
  return new Date(Math.min(now.getTime() + delay, end))
}

/** Retry-After is a number of seconds or a date. */
function toDelay(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined
  const delay = /^\d{1,9}$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now.getTime()
  return Number.isNaN(delay) ? undefined : delay
}
