import {
  type Count,
  countOneMore,
  createLimiter,
  forgive,
  lookAndForgive,
  lookAt,
  noteRefused,
  type Waits,
} from '../db/limiter.ts'
import type { Db } from '../db/open.ts'
import { type AppError, tooManyAttempts } from '../errors.ts'

/** A count of wrong guesses: whose, and how many may be. */
export interface GuessCount extends Count {
  /** A right guess clears it. */
  forgiven?: boolean
  /** Lets those pass, when it is full, whom others' failures must not lock out. */
  isExempt?(): Promise<boolean>
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
export async function guess<T>(db: Db, counts: GuessCount[], { attempt, wrong, note }: Guess<T>): Promise<T> {
  const refuseWhenFull = async (waits: Waits) => {
    const refused = await findRefusing(counts, waits)
    if (refused.length > 0) await refuse(db, refused, note)
  }
  await refuseWhenFull(await lookAt(db, counts))
  const right = await attempt()
  if (right === undefined) {
    await refuseWhenFull(await countOneMore(db, counts))
    await note?.('wrong')
    throw wrong()
  }
  // Guesses sent all at once passed the first look together. Beyond the limit right and wrong get the same answer.
  const forgiven = counts.filter(({ forgiven }) => forgiven)
  const waits = await lookAndForgive(db, counts, forgiven)
  await refuseWhenFull(waits)
  // Where one is full nothing was forgiven yet: it was not known that they are exempt.
  if (waits.some((wait) => wait !== undefined)) await forgive(db, forgiven)
  return right
}

interface Refusing {
  count: GuessCount
  wait: number
}

/** The counts that are full, without those that somebody is exempt from. */
async function findRefusing(counts: GuessCount[], waits: Waits): Promise<Refusing[]> {
  const refusing: Refusing[] = []
  for (const [index, count] of counts.entries()) {
    const wait = waits[index]
    if (wait !== undefined && !(await count.isExempt?.())) refusing.push({ count, wait })
  }
  return refusing
}

async function refuse(db: Db, refusing: Refusing[], note: Guess<unknown>['note']): Promise<never> {
  for (const { count } of refusing) noteRefused(db, count.limit)
  const news = await Promise.all(
    refusing.map(({ count: { limit, key } }) => createLimiter(db, limit).isNews(key)),
  )
  if (news.includes(true)) await note?.('unseen')
  throw tooManyAttempts(Math.max(...refusing.map(({ wait }) => wait)))
}
