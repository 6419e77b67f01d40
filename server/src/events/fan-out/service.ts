import { EVENT_TYPES } from '../../audit/catalog.ts'
import type { Ctx } from '../../context.ts'
import { falseIfReferenceGone } from '../../db/errors.ts'
import { defineJob } from '../../jobs/job.ts'
import { type FanOutProgress, findProgress, insertDeliveries, tryLockCursor, updateCursor } from './store.ts'

/** The number of positions processed in one transaction. */
const BATCH = 500

/**
 * Creates deliveries for all webhooks that match new events. Deliveries and cursor are written in one transaction, so
 * that every event is queued exactly once for each webhook, even if a node is killed.
 */
export async function fanOut(ctx: Ctx, stop?: AbortSignal): Promise<void> {
  while (!stop?.aborted && (await isBehind(ctx)) && (await fanOutBatch(ctx)));
}

/** There are events for which no deliveries have been created yet. */
export const isBehind = async ({ db }: Ctx): Promise<boolean> => {
  const extent = await findProgress(db)
  return startPosition(extent) < extent.head
}

/** Positions before the earliest active webhook are skipped. */
const startPosition = ({ position, earliest }: FanOutProgress): number =>
  Math.max(position, earliest ?? Number.MAX_SAFE_INTEGER)

/** Returns false when nothing is left or another node holds the cursor. */
const fanOutBatch = (ctx: Ctx): Promise<boolean> =>
  // If a webhook was deleted concurrently, the next run does not see it.
  falseIfReferenceGone(() =>
    ctx.db.transaction().execute(async (tx) => {
      if (!(await tryLockCursor(tx))) return false
      // Read again under the lock: another node may have advanced the cursor.
      const extent = await findProgress(tx)
      const after = startPosition(extent)
      const upTo = Math.min(extent.head, after + BATCH)
      if (upTo <= after) return false
      await insertDeliveries(tx, { after, upTo, types: EVENT_TYPES, now: ctx.now() })
      await updateCursor(tx, upTo)
      return true
    }),
  )

export const fanOutEvents = defineJob<AbortSignal>({
  name: 'fan_out_events',
  everyMs: 1_000,
  wakeOn: 'audit_head',
  run: fanOut,
})
