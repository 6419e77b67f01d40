import type { Tx } from '../db/open.ts'

export interface OwnedTenant {
  id: string
  name: string
  slug: string
}

const selectOwnedTenants = (tx: Tx, userId: string) =>
  tx
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .where('memberships.user_id', '=', userId)
    .where('memberships.role', '=', 'owner')
    .where('memberships.status', '=', 'ACTIVE')

/** Locks all tenants of the user until the transaction ends, ordered by id to avoid deadlocks. */
export async function lockTenantsOf(tx: Tx, userId: string): Promise<void> {
  await tx
    .selectFrom('tenants')
    .select('id')
    .where('id', 'in', tx.selectFrom('memberships').select('tenant_id').where('user_id', '=', userId))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/** The tenants that would have no ACTIVE owner without this user. */
export const listSolelyOwned = (tx: Tx, userId: string): Promise<OwnedTenant[]> =>
  selectOwnedTenants(tx, userId)
    .select(['tenants.id', 'tenants.name', 'tenants.slug'])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('memberships as other')
            .select('other.id')
            .innerJoin('users', 'users.id', 'other.user_id')
            .whereRef('other.tenant_id', '=', 'tenants.id')
            // A disabled user cannot sign in and does not count as an owner.
            .where('users.disabled', '=', false)
            .where('other.user_id', '<>', userId)
            .where('other.role', '=', 'owner')
            .where('other.status', '=', 'ACTIVE'),
        ),
      ),
    )
    .orderBy('tenants.name')
    .orderBy('tenants.id')
    .execute()

/** Whether the tenant has an active owner other than this user. */
export async function isOwnedByAnother(tx: Tx, tenantId: string, userId: string): Promise<boolean> {
  const another = await tx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('memberships.id')
    .where('memberships.tenant_id', '=', tenantId)
    .where('memberships.user_id', '<>', userId)
    .where('memberships.role', '=', 'owner')
    .where('memberships.status', '=', 'ACTIVE')
    // A disabled user cannot sign in and does not count as an owner.
    .where('users.disabled', '=', false)
    .limit(1)
    .executeTakeFirst()
  return another !== undefined
}
