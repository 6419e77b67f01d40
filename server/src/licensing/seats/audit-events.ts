import { type Action, type AuditEvent, recordAuditEventWithQuery } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import type { SeatKey } from './grant-store.ts'
import type { GrantContext } from './seat-transaction.ts'
import { selectRevision } from './store.ts'

export interface SeatEvent {
  action: Action
  context: GrantContext
  seat: SeatKey & { licenseTypeId: string }
  /** The license type before a change. */
  before?: string | null
}

/** Records the change, and returns the revision of the tenant's ledger after it. */
export async function recordSeatEvent(ctx: Ctx, tx: Tx, event: SeatEvent): Promise<string> {
  const query = selectRevision(event.context.tenantId)
  return (await recordAuditEventWithQuery(ctx, tx, { ...toAuditEvent(event), query }))?.revision ?? '0'
}

export function toAuditEvent({ action, context, seat, before }: SeatEvent): AuditEvent {
  const { actor, request, tenantId } = context
  const { userId, applicationId, licenseTypeId } = seat
  const details = { applicationId, licenseTypeId, ...(before && { before: { licenseTypeId: before } }) }
  return { action, actor, request, tenantId, userId, details }
}
