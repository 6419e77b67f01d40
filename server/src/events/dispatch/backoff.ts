import { randomInt } from 'node:crypto'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** After the first attempt in vain, the second, and so on: at least and at most how long until the next. */
const STEPS: [from: number, to: number][] = [
  [5 * SECOND, 6 * SECOND],
  [30 * SECOND, 36 * SECOND],
  [2 * MINUTE, 2.4 * MINUTE],
  [10 * MINUTE, 12 * MINUTE],
  [30 * MINUTE, 36 * MINUTE],
  [HOUR, 1.2 * HOUR],
  [2 * HOUR, 2.4 * HOUR],
  [4 * HOUR, 4.8 * HOUR],
]
const LATER: [from: number, to: number] = [4 * HOUR, 6 * HOUR]

/** So long an event is tried. */
export const PERSISTENCE_MS = 72 * HOUR
/** Whoever asks to be left alone for longer is asked again all the same. */
const LONGEST_WISH_MS = 6 * HOUR

interface Try {
  /** This attempt among those of the event: 1 is the first. */
  attempt: number
  firstAttemptAt: Date
  now: Date
  /** What the receiver asked for (RFC 9110 §10.2.3). */
  retryAfter: string | undefined
}

/** When an event is tried again; undefined: never. The last attempt is made when its time is over. */
export function nextAttemptAt({ attempt, firstAttemptAt, now, retryAfter }: Try): Date | undefined {
  const end = firstAttemptAt.getTime() + PERSISTENCE_MS
  if (now.getTime() >= end) return undefined
  const [from, to] = STEPS[attempt - 1] ?? LATER
  const wish = Math.min(toDelay(retryAfter, now) ?? 0, LONGEST_WISH_MS)
  // A receiver may ask for more time, not for less: else it could keep us busy.
  const delay = Math.max(randomInt(from, to), wish)
  return new Date(Math.min(now.getTime() + delay, end))
}

/** Seconds, or a moment. */
function toDelay(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined
  const delay = /^\d{1,9}$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now.getTime()
  return Number.isNaN(delay) ? undefined : delay
}
