import type { Ctx } from '../../context.ts'
import { getTenant } from '../subscriptions/service.ts'
import { type LedgerRow, listLedger } from './store.ts'

interface Asked {
  tenantId: string
  /** The last sequence known; 0: none. */
  after: number
  limit: number
  order: 'asc' | 'desc'
}

/** What happened, in order; the present follows from it. */
export async function pageOfLedger(ctx: Ctx, { tenantId, after, limit, order }: Asked) {
  const { id } = await getTenant(ctx.db, tenantId)
  // One more than asked for tells whether there is a next page.
  const known = after === 0 ? undefined : String(after)
  const rows = await listLedger(ctx.db, { tenantId: id, after: known, limit: limit + 1, order })
  const entries = rows.slice(0, limit).map(toEntry)
  return { entries, next: rows.length > limit ? (entries.at(-1)?.sequence ?? null) : null }
}

/** Whom a seat is kept for is not told before they accept: an id of theirs would tell that there is an account. */
const isReserved = ({ before, after }: LedgerRow) => (after ?? before)?.status === 'RESERVED'

const toEntry = (row: LedgerRow) => ({
  sequence: Number(row.sequence),
  occurredAt: row.occurred_at.toISOString(),
  actor: row.actor,
  reason: row.reason,
  subject: row.subject,
  subjectId: row.subject_id,
  userId: isReserved(row) ? null : row.user_id,
  applicationId: row.application_id,
  before: row.before,
  after: row.after,
})
