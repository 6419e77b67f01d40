import type { Ctx } from '../../context.ts'
import { getTenant } from '../subscriptions/service.ts'
import { type LedgerRow, listLedger } from './store.ts'

interface Asked {
  tenantId: string
  after: number
  limit: number
}

/** What happened, in order; the present follows from it. */
export async function pageOfLedger(ctx: Ctx, { tenantId, after, limit }: Asked) {
  const { id } = await getTenant(ctx.db, tenantId)
  // One more than asked for tells whether there is a next page.
  const rows = await listLedger(ctx.db, { tenantId: id, after: String(after), limit: limit + 1 })
  const entries = rows.slice(0, limit).map(toEntry)
  return { entries, next: rows.length > limit ? (entries.at(-1)?.sequence ?? null) : null }
}

const toEntry = (row: LedgerRow) => ({
  sequence: Number(row.sequence),
  occurredAt: row.occurred_at.toISOString(),
  actor: row.actor,
  reason: row.reason,
  subject: row.subject,
  subjectId: row.subject_id,
  userId: row.user_id,
  applicationId: row.application_id,
  before: row.before,
  after: row.after,
})
