import { setTimeout as sleep } from 'node:timers/promises'
import type { Ctx } from '../../context.ts'
import { untilBack } from '../../db/until-back.ts'
import { OAuthError } from '../../errors.ts'
import { takeBackFromKilled, takeBackSuccessor } from './store.ts'

/**
 * A refresh that cannot be answered, because the database goes away in the midst of it, may have been done or not. Its
 * client hears 503 and repeats it. Nobody was given the successor, so it is taken back as soon as the database can be
 * asked, and the token is as good as before. Without that the repetition would look like the second use of a token, and
 * end the family of somebody who did what we told them.
 */

/** The refresh of one token. */
interface Refresh {
  /** The token that was shown. */
  hash: Buffer
  /** The one that nobody was given. */
  successor: Buffer
}

/** How long the database may be away. Later the token counts as used. */
const LONGEST_MS = 60_000
const PATIENCE = { forMs: LONGEST_MS, everyMs: 200 }

const pending = new WeakMap<Ctx, Map<string, Promise<void>>>()

function pendingOf(ctx: Ctx): Map<string, Promise<void>> {
  const known = pending.get(ctx) ?? new Map<string, Promise<void>>()
  pending.set(ctx, known)
  return known
}

/** Answers a refresh, and takes it back when that fails; not when it is refused. */
export async function takeBackIfUnanswered<T>(
  ctx: Ctx,
  refresh: Refresh,
  answer: () => Promise<T>,
): Promise<T> {
  try {
    return await answer()
  } catch (error) {
    if (!(error instanceof OAuthError)) takeBackLater(ctx, refresh)
    throw error
  }
}

function takeBackLater(ctx: Ctx, refresh: Refresh): void {
  const key = refresh.hash.toString('base64url')
  const known = pendingOf(ctx)
  // What was shown again meanwhile comes after what was shown before.
  const work = (known.get(key) ?? Promise.resolve())
    .then(() => untilBack(() => takeBackSuccessor(ctx.db, refresh), PATIENCE))
    .catch((err) => ctx.log.warn({ err }, 'a refresh that was not answered could not be taken back'))
    .finally(() => {
      if (known.get(key) === work) known.delete(key)
    })
  known.set(key, work)
}

/** Waits until a token that this node could not answer for is as good as before. */
export async function whenTakenBack(ctx: Ctx, hash: Buffer): Promise<void> {
  await pendingOf(ctx).get(hash.toString('base64url'))
}

/** How soon every node has taken back what it could not answer, once the database can be asked again. */
const SOON_MS = 3_000
const LOOK_MS = 100

/**
 * Looks whether a token that counts as used is good again. It may be one that another node could not answer for, if the
 * database was away a short time ago; then it is waited for a moment. Or that node was killed: then its refresh is taken
 * back here.
 */
export async function untilTakenBack(ctx: Ctx, { hash, usedAt, isGood }: UsedToken): Promise<void> {
  const now = ctx.now()
  const usedAfter = new Date(now.getTime() - LONGEST_MS)
  if (usedAt <= usedAfter) return
  if (ctx.changes.lostFor() * 1_000 <= LONGEST_MS && (await isSoonGood(isGood))) return
  // Those that are connected are known again by now.
  if (await takeBackFromKilled(ctx.db, { hash, now, usedAfter })) await isGood()
}

interface UsedToken {
  hash: Buffer
  usedAt: Date
  /** Looks at it again. */
  isGood(): Promise<boolean>
}

async function isSoonGood(isGood: () => Promise<boolean>): Promise<boolean> {
  for (let waited = 0; waited < SOON_MS; waited += LOOK_MS) {
    await sleep(LOOK_MS)
    if (await isGood()) return true
  }
  return false
}
