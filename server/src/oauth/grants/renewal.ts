import type { Ctx } from '../../context.ts'
import { isRolledBack } from '../../db/violations.ts'
import { together } from '../../lib/together.ts'
import { type Renewal, renewRefreshTokens } from './store.ts'

/** Those beyond so many come next. */
const MOST = 32
const SPACING_MS = 8
const MOST_WAITING = 1_000

interface Pending {
  renewal: Renewal
  /** Nobody can be answered before. */
  signed: Promise<unknown>
}

type Lane = (pending: Pending) => Promise<boolean | undefined>
const lanes = new WeakMap<Ctx, Lane>()

/**
 * Uses a token up as `renewRefreshTokens` does, and says whether it was done. Those that come at about the same time
 * share a statement and a commit, which cost more than anything else that a refresh does in the database.
 */
export async function renew(ctx: Ctx, pending: Pending): Promise<boolean> {
  return (await laneOf(ctx)(pending)) ?? false
}

function laneOf(ctx: Ctx): Lane {
  const lane =
    lanes.get(ctx) ??
    together((turn: Pending[]) => renewTogether(ctx, turn), {
      ...{ most: MOST, mostWaiting: MOST_WAITING, spacingMs: SPACING_MS },
      untilDue: ({ signed }) => signed,
    })
  lanes.set(ctx, lane)
  return lane
}

/** What the database has refused was done for none of them: then each tries by itself, and hears its own answer. */
async function renewTogether(ctx: Ctx, turn: Pending[]): Promise<boolean[]> {
  try {
    return await renewRefreshTokens(
      ctx.db,
      turn.map(({ renewal }) => renewal),
      ctx.changes.processNumber,
    )
  } catch (error) {
    if (!isRolledBack(error)) throw error
    return turn.map(() => false)
  }
}
