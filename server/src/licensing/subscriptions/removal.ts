import { record, type Source } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { stateOf } from './service.ts'
import { deleteSubscription, lockBuyer, lockSubscription } from './store.ts'

/** Ends a subscription. Its seats go with it; the ledger tells of each. */
export async function removeSubscription(
  ctx: Ctx,
  tx: Tx,
  { id, source }: { id: string; source: Source },
): Promise<void> {
  // The tenant first, as whoever gives or takes its seats.
  await lockBuyer(tx, id)
  const subscription = await lockSubscription(tx, id)
  if (!subscription) throw new AppError('SUBSCRIPTION_NOT_FOUND')
  const { tenant_id: tenantId, license_type_id: licenseTypeId } = subscription
  const seats = subscription.quantity_assigned + subscription.quantity_reserved
  const details = { subscriptionId: id, licenseTypeId, seats, before: stateOf(subscription) }
  await record(ctx, tx, { action: 'subscription.deleted', ...source, tenantId, details })
  await deleteSubscription(tx, id)
}
