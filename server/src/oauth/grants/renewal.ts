import type { Ctx } from '../../context.ts'
import { isRolledBack } from '../../db/violations.ts'
import { together } from '../../lib/together.ts'
import { type Renewal, renewRefreshTokens } from './store.ts'

/** More than come within the time, on most machines: so many signatures take longer. */
const MOST = 32
const SPACING_MS = 8

const renewals = new WeakMap<Ctx, (renewal: Renewal) => Promise<boolean>>()

/**
 * Uses a token up as `renewRefreshTokens` does, and says whether it was done. Those that come at about the same time
 * share a statement and a commit, which cost more than anything else that a refresh does in the database.
 */
export function renew(ctx: Ctx, renewal: Renewal): Promise<boolean> {
  const known = renewals.get(ctx)
  if (known) return known(renewal)
  const made = together((turn: Renewal[]) => renewTogether(ctx, turn), {
    ...{ most: MOST, spacingMs: SPACING_MS },
  })
  renewals.set(ctx, made)
  return made(renewal)
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
