import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { isOwnedByAnother, listOwnedAlone, lockTenantsOf } from './ownership/store.ts'

/** For whoever changes a person in a way that reaches into their tenants. */
export { lockTenantsOf }

/**
 * Refuses to let somebody go whom a tenant needs: TENANT_OWNER, with the tenants they are the last owner of. Until the
 * transaction ends nobody else can stop being an owner of theirs.
 */
export async function requireNoTenantAlone(tx: Tx, userId: string): Promise<void> {
  await lockTenantsOf(tx, userId)
  const tenants = await listOwnedAlone(tx, userId)
  if (tenants.length > 0) throw new AppError('TENANT_OWNER', { details: { tenants } })
}

/** Refuses to let an owner go who is the last one: LAST_OWNER. Nobody else changes the tenant's members meanwhile. */
export async function requireAnotherOwner(tx: Tx, tenantId: string, userId: string): Promise<void> {
  if (!(await isOwnedByAnother(tx, tenantId, userId))) throw new AppError('LAST_OWNER')
}
