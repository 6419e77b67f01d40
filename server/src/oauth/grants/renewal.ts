import type { Ctx } from '../../context.ts'
import { isRolledBack } from '../../db/violations.ts'
import { together } from '../../lib/together.ts'
import { type Renewal, renewRefreshTokens } from './store.ts'

/** More than come within the time, on most machines: so many signatures take longer. */
const MOST = 32
const SPACING_MS = 12
const MOST_WAITING = 1_000

type Lane = (renewal: Renewal) => Promise<boolean | undefined>
const lanes = new WeakMap<Ctx, Lane>()

/**
 * Uses a token up as `renewRefreshTokens` does, and says whether it was done. Those that come at about the same time
 * share a statement and a commit, which cost more than anything else that a refresh does in the database.
 */
export async function renew(ctx: Ctx, renewal: Renewal): Promise<boolean> {
  return (await laneOf(ctx)(renewal)) ?? false
}

function laneOf(ctx: Ctx): Lane {
  const lane =
    lanes.get(ctx) ??
    together((turn: Renewal[]) => renewTogether(ctx, turn), {
      ...{ most: MOST, mostWaiting: MOST_WAITING, spacingMs: SPACING_MS },
    })
  lanes.set(ctx, lane)
  return lane
}

/** What the database has refused was done for none of them: then each tries by itself, and hears its own answer. */
async function renewTogether(ctx: Ctx, turn: Renewal[]): Promise<boolean[]> {
  try {
    return await renewRefreshTokens(ctx.db, turn)
  } catch (error) {
    if (!isRolledBack(error)) throw error
    return turn.map(() => false)
  }
}
