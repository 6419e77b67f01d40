import { type AuditSource, recordAuditEvent } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { toAuditState } from './service.ts'
import { deleteSubscription, lockSubscribedTenant, lockSubscription } from './store.ts'

/** Deletes a subscription with its seats. The database records each seat in the ledger. */
export async function removeSubscription(
  ctx: Ctx,
  tx: Tx,
  { id, source }: { id: string; source: AuditSource },
): Promise<void> {
  // The tenant is locked first, as in every change of seats, to avoid deadlocks.
  await lockSubscribedTenant(tx, id)
  const subscription = await lockSubscription(tx, id)
  if (!subscription) throw new AppError('SUBSCRIPTION_NOT_FOUND')
  const { tenant_id: tenantId, license_type_id: licenseTypeId } = subscription
  const seats = subscription.quantity_assigned + subscription.quantity_reserved
  const details = { subscriptionId: id, licenseTypeId, seats, before: toAuditState(subscription) }
  await recordAuditEvent(ctx, tx, { action: 'subscription.deleted', ...source, tenantId, details })
  await deleteSubscription(tx, id)
}
