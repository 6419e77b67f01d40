import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { defineJob } from '../../jobs/job.ts'
import { recordAuditEvent, SYSTEM } from '../record.ts'
import { computeEndProof } from './link.ts'
import { deleteLinksUpTo, listOldestLinks, updateAnchor } from './retention-store.ts'
import { unsealChainKey } from './service.ts'
import { lockHead } from './store.ts'

const BATCH = 5_000
const DAY_MS = 86_400_000

/**
 * Deletes entries older than the retention period. Only the beginning of the chain is deleted, up to the first entry
 * that is still retained. The last deleted link becomes the anchor, so that the remaining chain can still be verified.
 */
export const pruneAuditLog = defineJob<unknown>({
  name: 'prune_audit_log',
  schedule: '17 3 * * *',
  async run(ctx) {
    const { auditRetentionDays: days } = ctx.config
    if (days === 0) return
    const before = new Date(ctx.now().getTime() - days * DAY_MS)
    while (await ctx.db.transaction().execute((tx) => pruneBatch(ctx, tx, before)));
  },
})

/** Returns whether there may be more to prune. The lock delays other nodes that extend the chain, but no writer of entries. */
async function pruneBatch(ctx: Ctx, tx: Tx, before: Date): Promise<boolean> {
  const head = await lockHead(tx)
  if (!head.sealed_key) return false
  const oldest = await listOldestLinks(tx, { after: Number(head.anchor_position), limit: BATCH })
  const firstRetained = oldest.findIndex(({ occurred_at: at }) => at === null || at >= before)
  if (oldest[firstRetained]?.occurred_at === null) {
    ctx.log.warn({ position: oldest[firstRetained].position }, 'an audit entry is missing: nothing after it is pruned')
  }
  const count = firstRetained === -1 ? oldest.length : firstRetained
  const last = oldest[count - 1]
  if (!last) return false
  const anchor = { position: Number(last.position), hash: last.hash }
  await deleteLinksUpTo(tx, anchor.position)
  await updateAnchor(tx, anchor, computeEndProof(unsealChainKey(ctx, head.sealed_key), 'anchor', anchor))
  await recordAuditEvent(ctx, tx, {
    action: 'audit.pruned',
    actor: SYSTEM,
    details: { count, until: last.occurred_at },
  })
  return count === BATCH
}
