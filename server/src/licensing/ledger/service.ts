import type { Ctx } from '../../context.ts'
import { getTenant } from '../subscriptions/service.ts'
import { type LedgerRow, listLedger } from './store.ts'

interface LedgerRequest {
  tenantId: string
  /** The last sequence that the caller has read, or 0. */
  after: number
  limit: number
  order: 'asc' | 'desc'
}

export async function getLedgerPage(ctx: Ctx, { tenantId, after, limit, order }: LedgerRequest) {
  const { id } = await getTenant(ctx.db, tenantId)
  const cursor = after === 0 ? undefined : String(after)
  // One extra row shows whether there is a next page.
  const rows = await listLedger(ctx.db, { tenantId: id, after: cursor, limit: limit + 1, order })
  const entries = rows.slice(0, limit).map(toEntry)
  return { entries, next: rows.length > limit ? (entries.at(-1)?.sequence ?? null) : null }
}

/** The user of a reserved seat is hidden until they accept: a user id would disclose that the account exists. */
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
