import type { Limiter } from '../db/limiter.ts'
import { type AppError, tooManyAttempts } from '../errors.ts'

/** A count of wrong guesses: whose, and how many may be. */
export interface GuessCount {
  limiter: Limiter
  key: string
  /** A right guess clears it. */
  forgiven?: boolean
}

export interface Guess<T> {
  /** Answers undefined for a wrong one. */
  attempt(): Promise<T | undefined>
  /** Says to the caller that it was wrong. */
  wrong(): AppError
  /**
   * Writes down that a guess was refused. Of those refused unseen it hears once for each full count and its time: who
   * goes on all the same must not fill the log.
   */
  note?(refused: 'wrong' | 'unseen'): Promise<void>
}

/** Lets somebody guess, unless too many guesses were wrong before. */
export async function guess<T>(counts: GuessCount[], { attempt, wrong, note }: Guess<T>): Promise<T> {
  const look = async () => {
    const waits = await Promise.all(counts.map(({ limiter, key }) => limiter.blockedFor(key)))
    await refuseWhenFull(counts, waits, note)
  }
  await look()
  const right = await attempt()
  if (right === undefined) {
    const waits = await Promise.all(counts.map(({ limiter, key }) => limiter.count(key)))
    await refuseWhenFull(counts, waits, note)
    await note?.('wrong')
    throw wrong()
  }
  // Guesses sent all at once passed the first look together. Beyond the limit right and wrong get the same answer.
  await look()
  const forgiven = counts.filter(({ forgiven }) => forgiven)
  await Promise.all(forgiven.map(({ limiter, key }) => limiter.forgive(key)))
  return right
}

/** A count that does not stop those whom others' failures must not lock out. */
export const exempting = (limiter: Limiter, isExempt: () => Promise<boolean>): Limiter => {
  const unlessExempt = async (wait: number | undefined) =>
    wait === undefined || (await isExempt()) ? undefined : wait
  return {
    ...limiter,
    blockedFor: async (key) => unlessExempt(await limiter.blockedFor(key)),
    count: async (key) => unlessExempt(await limiter.count(key)),
  }
}

async function refuseWhenFull(
  counts: GuessCount[],
  waits: (number | undefined)[],
  note: Guess<unknown>['note'],
): Promise<void> {
  const wait = Math.max(0, ...waits.map((seconds) => seconds ?? 0))
  if (wait === 0) return
  const full = counts.filter((_, index) => waits[index] !== undefined)
  const news = await Promise.all(full.map(({ limiter, key }) => limiter.isNews(key)))
  if (news.includes(true)) await note?.('unseen')
  throw tooManyAttempts(wait)
}
