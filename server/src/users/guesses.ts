import type { Limiter } from '../db/limiter.ts'
import { type AppError, tooManyAttempts } from '../errors.ts'

/** A count of wrong guesses: whose, and how many may be. */
export interface GuessCount {
  limiter: Limiter
  key: string
  /** A right guess clears it. */
  forgiven?: boolean
}

/**
 * Lets somebody guess, unless too many guesses were wrong before. `attempt` answers undefined for a wrong one, and
 * `wrong` says so to the caller.
 */
export async function guess<T>(
  counts: GuessCount[],
  attempt: () => Promise<T | undefined>,
  wrong: () => AppError,
): Promise<T> {
  await refuseWhenBlocked(counts)
  const right = await attempt()
  if (right === undefined) {
    const waits = await Promise.all(counts.map(({ limiter, key }) => limiter.count(key)))
    throw tooMany(waits) ?? wrong()
  }
  // Guesses sent all at once passed the first look together. Beyond the limit right and wrong get the same answer.
  await refuseWhenBlocked(counts)
  const forgiven = counts.filter(({ forgiven }) => forgiven)
  await Promise.all(forgiven.map(({ limiter, key }) => limiter.forgive(key)))
  return right
}

/** A count that does not stop those whom others' failures must not lock out. */
export const exempting = (limiter: Limiter, isExempt: () => Promise<boolean>): Limiter => {
  const { leniently } = limiter
  const unlessExempt = async (wait: number | undefined) => {
    if (wait === undefined || (await isExempt())) return undefined
    leniently.refused()
    return wait
  }
  return {
    ...limiter,
    blockedFor: async (key) => unlessExempt(await leniently.blockedFor(key)),
    count: async (key) => unlessExempt(await leniently.count(key)),
  }
}

async function refuseWhenBlocked(counts: GuessCount[]): Promise<void> {
  const refusal = tooMany(await Promise.all(counts.map(({ limiter, key }) => limiter.blockedFor(key))))
  if (refusal) throw refusal
}

function tooMany(waits: (number | undefined)[]): AppError | undefined {
  const wait = Math.max(0, ...waits.map((seconds) => seconds ?? 0))
  return wait > 0 ? tooManyAttempts(wait) : undefined
}
