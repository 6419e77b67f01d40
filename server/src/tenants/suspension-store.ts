import type { Tx } from '../db/open.ts'

/** The active owners and admins: owners first, then in the order of joining. */
export async function listAdmins(
  tx: Tx,
  { tenantId, limit }: { tenantId: string; limit: number },
): Promise<{ email: string; locale: string | null }[]> {
  return (
    tx
      .selectFrom('memberships')
      .innerJoin('users', 'users.id', 'memberships.user_id')
      .select(['users.email', 'users.locale'])
      .where('memberships.tenant_id', '=', tenantId)
      .where('memberships.status', '=', 'ACTIVE')
      .where('memberships.role', 'in', ['owner', 'admin'])
      .where('users.disabled', '=', false)
      // An unconfirmed address may belong to somebody else.
      .where('users.email_verified', '=', true)
      .orderBy('memberships.role', 'desc')
      .orderBy('memberships.joined_at')
      .limit(limit)
      .execute()
  )
}
