import type { Tx } from '../../db/open.ts'

export interface OwnedTenant {
  id: string
  name: string
  slug: string
}

const ownedBy = (tx: Tx, userId: string) =>
  tx
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .where('memberships.user_id', '=', userId)
    .where('memberships.role', '=', 'owner')
    .where('memberships.status', '=', 'ACTIVE')

/**
 * Others who would change a tenant of this person, or its members, wait until the transaction ends. All of them, and in
 * order, so that two who do this do not wait for each other in a circle.
 */
export async function lockTenantsOf(tx: Tx, userId: string): Promise<void> {
  await tx
    .selectFrom('tenants')
    .select('id')
    .where('id', 'in', tx.selectFrom('memberships').select('tenant_id').where('user_id', '=', userId))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/** The tenants that would have no ACTIVE owner without this person. */
export const listOwnedAlone = (tx: Tx, userId: string): Promise<OwnedTenant[]> =>
  ownedBy(tx, userId)
    .select(['tenants.id', 'tenants.name', 'tenants.slug'])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('memberships as other')
            .select('other.id')
            .innerJoin('users', 'users.id', 'other.user_id')
            .whereRef('other.tenant_id', '=', 'tenants.id')
            // Who cannot sign in looks after nothing.
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

/** Whether somebody beside this person looks after the tenant. */
export async function isOwnedByAnother(tx: Tx, tenantId: string, userId: string): Promise<boolean> {
  const another = await tx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('memberships.id')
    .where('memberships.tenant_id', '=', tenantId)
    .where('memberships.user_id', '<>', userId)
    .where('memberships.role', '=', 'owner')
    .where('memberships.status', '=', 'ACTIVE')
    // Who cannot sign in looks after nothing.
    .where('users.disabled', '=', false)
    .limit(1)
    .executeTakeFirst()
  return another !== undefined
}
