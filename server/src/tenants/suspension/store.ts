import type { Tx } from '../../db/open.ts'

/** The addresses of those who look after a tenant: owners first, and then who joined first. */
export async function listCaretakers(
  tx: Tx,
  { tenantId, limit }: { tenantId: string; limit: number },
): Promise<string[]> {
  const caretakers = await tx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.email')
    .where('memberships.tenant_id', '=', tenantId)
    .where('memberships.status', '=', 'ACTIVE')
    .where('memberships.role', 'in', ['owner', 'admin'])
    .where('users.disabled', '=', false)
    // An address that nobody has confirmed may be a stranger's.
    .where('users.email_verified', '=', true)
    .orderBy('memberships.role', 'desc')
    .orderBy('memberships.joined_at')
    .limit(limit)
    .execute()
  return caretakers.map(({ email }) => email)
}
