import { type AuditSource, recordAuditEvent } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { removeSubscription } from '../subscriptions/removal.ts'
import { toAuditState } from './service.ts'
import { deleteLicenseType, listSubscriptionIds, lockLicenseType, lockSubscribedTenants } from './store.ts'

/** Deletes a license type, after its subscriptions. */
export async function removeLicenseType(
  ctx: Ctx,
  tx: Tx,
  { id, source }: { id: string; source: AuditSource },
): Promise<void> {
  await lockSubscribedTenants(tx, id)
  const type = await lockLicenseType(tx, id)
  if (!type) throw new AppError('LICENSE_TYPE_NOT_FOUND')
  for (const subscriptionId of await listSubscriptionIds(tx, id)) {
    await removeSubscription(ctx, tx, { id: subscriptionId, source })
  }
  const details = { licenseTypeId: id, applicationId: type.application_id, before: toAuditState(type) }
  await recordAuditEvent(ctx, tx, { action: 'license_type.deleted', ...source, details })
  await deleteLicenseType(tx, id)
}
