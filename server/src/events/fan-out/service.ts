import { EVENT_TYPES } from '../../audit/catalogue.ts'
import type { Ctx } from '../../context.ts'
import { isOrphan } from '../../db/violations.ts'
import { defineJob } from '../../jobs/job.ts'
import { type Extent, findExtent, insertDeliveries, tryLockCursor, updateCursor } from './store.ts'

/** So many positions of the log are looked at in one transaction. */
const BATCH = 500

/**
 * Hands what happened to the webhooks that want it: from where the last node to do so has stopped, in the transaction
 * that notes how far it got. So every event is handed to every webhook once, whoever is killed when.
 */
export async function fanOut(ctx: Ctx, stop?: AbortSignal): Promise<void> {
  while (!stop?.aborted && (await isBehind(ctx)) && (await handOutSome(ctx)));
}

const isBehind = async ({ db }: Ctx): Promise<boolean> => {
  const extent = await findExtent(db)
  return startOf(extent) < extent.head
}

/** What nobody wants is passed over at once. */
const startOf = ({ position, earliest }: Extent): number =>
  Math.max(position, earliest ?? Number.MAX_SAFE_INTEGER)

/** False when it is not this node's turn. */
async function handOutSome(ctx: Ctx): Promise<boolean> {
  try {
    return await ctx.db.transaction().execute(async (tx) => {
      if (!(await tryLockCursor(tx))) return false
      // Another node may have got further meanwhile.
      const extent = await findExtent(tx)
      const after = startOf(extent)
      const upTo = Math.min(extent.head, after + BATCH)
      if (upTo <= after) return false
      await insertDeliveries(tx, { after, upTo, types: EVENT_TYPES, now: ctx.now() })
      await updateCursor(tx, upTo)
      return true
    })
  } catch (error) {
    // A webhook was deleted at this very moment: without it the next turn gets further.
    if (isOrphan(error)) return false
    throw error
  }
}

export const fanOutEvents = defineJob<AbortSignal>({ name: 'fan_out_events', everyMs: 250, run: fanOut })
