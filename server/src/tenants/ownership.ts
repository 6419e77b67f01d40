import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { listOwnedAlone, lockOwnedTenants } from './ownership/store.ts'

/**
 * Refuses to let somebody go whom a tenant needs: TENANT_OWNER, with the tenants they are the last owner of. Until the
 * transaction ends nobody else can stop being an owner of theirs.
 */
export async function requireNoTenantAlone(tx: Tx, userId: string): Promise<void> {
  await lockOwnedTenants(tx, userId)
  const tenants = await listOwnedAlone(tx, userId)
  if (tenants.length > 0) throw new AppError('TENANT_OWNER', { details: { tenants } })
}
