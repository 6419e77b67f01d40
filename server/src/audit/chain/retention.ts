import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { defineJob } from '../../jobs/job.ts'
import { record, SYSTEM } from '../record.ts'
import { proofOf } from './link.ts'
import { deleteUntil, listOldest, updateAnchor } from './retention/store.ts'
import { openKey } from './service.ts'
import { lockHead } from './store.ts'

const BATCH = 5_000
const DAY_MS = 86_400_000

/**
 * Lets go of what is older than the log keeps. Only the beginning of the chain goes, up to the first entry that is
 * young enough, and the last link that went becomes the anchor: what is left hangs on it and can still be verified.
 */
export const pruneAuditLog = defineJob<unknown>({
  name: 'prune_audit_log',
  schedule: '17 3 * * *',
  async run(ctx) {
    const { auditRetentionDays: days } = ctx.config
    if (days === 0) return
    const before = new Date(ctx.now().getTime() - days * DAY_MS)
    while (await ctx.db.transaction().execute((tx) => pruneSome(ctx, tx, before)));
  },
})

/** Says whether there may be more. Whoever would make the chain longer meanwhile waits; who only writes does not. */
async function pruneSome(ctx: Ctx, tx: Tx, before: Date): Promise<boolean> {
  const head = await lockHead(tx)
  if (!head.sealed_key) return false
  const oldest = await listOldest(tx, { after: Number(head.anchor_position), limit: BATCH })
  const kept = oldest.findIndex(({ occurred_at: at }) => at === null || at >= before)
  if (oldest[kept]?.occurred_at === null) {
    ctx.log.warn({ position: oldest[kept].position }, 'an audit entry is missing: nothing after it is pruned')
  }
  const count = kept === -1 ? oldest.length : kept
  const last = oldest[count - 1]
  if (!last) return false
  const anchor = { position: Number(last.position), hash: last.hash }
  await deleteUntil(tx, anchor.position)
  await updateAnchor(tx, anchor, proofOf(openKey(ctx, head.sealed_key), 'anchor', anchor))
  await record(ctx, tx, {
    action: 'audit.pruned',
    actor: SYSTEM,
    details: { count, until: last.occurred_at },
  })
  return count === BATCH
}
