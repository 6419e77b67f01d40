import type { AuditSource } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { removeApplicationInTx } from '../service.ts'
import { lockAndCountDependents } from '../store.ts'
import { removeClientInTx } from './registration.ts'

/**
 * Deletes a client that no administrator registered, and its application with it. If an operator has added anything
 * else to the application, it stays.
 */
export async function removeClientWithApplication(
  ctx: Ctx,
  tx: Tx,
  { id, applicationId, source }: { id: string; applicationId: string; source: AuditSource },
): Promise<void> {
  const dependents = await lockAndCountDependents(tx, applicationId)
  await removeClientInTx(ctx, tx, { id, source })
  if (!dependents) return
  const { clients, resources, licenseTypes } = dependents
  if (clients + resources + licenseTypes === 1) await removeApplicationInTx(ctx, tx, { id: applicationId, source })
}
