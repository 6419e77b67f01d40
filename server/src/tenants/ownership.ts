import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { isOwnedByAnother, listSolelyOwned, lockTenantsOf } from './ownership-store.ts'

export { lockTenantsOf }

/** Throws TENANT_OWNER with the tenants whose last owner the user is. The tenants stay locked until the transaction ends. */
export async function requireNotLastOwner(tx: Tx, userId: string): Promise<void> {
  await lockTenantsOf(tx, userId)
  const tenants = await listSolelyOwned(tx, userId)
  if (tenants.length > 0) throw new AppError('TENANT_OWNER', { details: { tenants } })
}

/** Throws LAST_OWNER when the user is the last owner. The caller must have locked the tenant. */
export async function requireAnotherOwner(tx: Tx, tenantId: string, userId: string): Promise<void> {
  if (!(await isOwnedByAnother(tx, tenantId, userId))) throw new AppError('LAST_OWNER')
}
