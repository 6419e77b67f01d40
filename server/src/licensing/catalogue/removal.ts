import { record, type Source } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { removeSubscription } from '../subscriptions/removal.ts'
import { stateOf } from './service.ts'
import { deleteLicenseType, listSubscriptionIds, lockBuyersOf, lockLicenseType } from './store.ts'

/** Ends a licence type, and before it whatever was sold of it. */
export async function removeType(
  ctx: Ctx,
  tx: Tx,
  { id, source }: { id: string; source: Source },
): Promise<void> {
  await lockBuyersOf(tx, id)
  const type = await lockLicenseType(tx, id)
  if (!type) throw new AppError('LICENSE_TYPE_NOT_FOUND')
  for (const subscriptionId of await listSubscriptionIds(tx, id)) {
    await removeSubscription(ctx, tx, { id: subscriptionId, source })
  }
  const details = { licenseTypeId: id, applicationId: type.application_id, before: stateOf(type) }
  await record(ctx, tx, { action: 'license_type.deleted', ...source, details })
  await deleteLicenseType(tx, id)
}
