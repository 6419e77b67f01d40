import { randomInt } from 'node:crypto'

const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 60_000
const MAX_RETRY_AFTER_MS = 600_000

/** The delay after a number of failures in a row: it doubles up to a minute, and up to half of it is random. */
export function toRetryDelay(failures: number, retryAfterMs = 0): number {
  const delay = Math.min(FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 10), MAX_DELAY_MS)
  // A target may lengthen the delay, but not shorten it.
  return Math.max(randomInt(delay / 2, delay + 1), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS))
}
