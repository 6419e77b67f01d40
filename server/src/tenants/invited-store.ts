import type { Insertable } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { MembershipStatus, MembershipsTable } from '../db/tables.ts'

interface MembershipKey {
  tenantId: string
  userId: string
}

export const findMembershipOf = (
  db: Db,
  { tenantId, userId }: MembershipKey,
): Promise<{ status: MembershipStatus } | undefined> =>
  db
    .selectFrom('memberships')
    .select('status')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .executeTakeFirst()

/** Undefined when the user is already a member of the tenant. */
export const insertMembershipIfNew = (
  tx: Tx,
  membership: Insertable<MembershipsTable>,
): Promise<{ id: string } | undefined> =>
  tx
    .insertInto('memberships')
    .values(membership)
    .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id']).doNothing())
    .returning('id')
    .executeTakeFirst()

export const extendInvited = (
  tx: Tx,
  { tenantId, userId, until }: MembershipKey & { until: Date },
): Promise<{ id: string } | undefined> =>
  tx
    .updateTable('memberships')
    .set({ invited_until: until })
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('status', '=', 'INVITED')
    .returning('id')
    .executeTakeFirst()

export const deleteInvited = (tx: Tx, { tenantId, userId }: MembershipKey): Promise<{ id: string } | undefined> =>
  tx
    .deleteFrom('memberships')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('status', '=', 'INVITED')
    .returning('id')
    .executeTakeFirst()

/** Adds an ACTIVE member or activates an INVITED one. False when the user already is a member. */
export async function activateInvited(tx: Tx, membership: Insertable<MembershipsTable>): Promise<boolean> {
  const { role, status, joined_at, updated_at } = membership
  const joined = await tx
    .insertInto('memberships')
    .values(membership)
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'user_id'])
        .doUpdateSet({ role, status, joined_at, updated_at, invited_until: null })
        .where('memberships.status', '=', 'INVITED'),
    )
    .returning('id')
    .executeTakeFirst()
  return joined !== undefined
}
