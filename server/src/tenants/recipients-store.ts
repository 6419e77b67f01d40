import { sql } from 'kysely'
import type { Tx } from '../db/open.ts'
import type { Role } from '../db/tables.ts'

export interface RecipientFilter {
  tenantId: string
  roles: readonly Role[]
  exceptIds?: string[]
  limit: number
}

export function selectRecipients(
  tx: Tx,
  { tenantId, roles, exceptIds = [], limit }: RecipientFilter,
): Promise<{ email: string; locale: string | null }[]> {
  return (
    tx
      .selectFrom('memberships')
      .innerJoin('users', 'users.id', 'memberships.user_id')
      .select(['users.email', 'users.locale'])
      .where('memberships.tenant_id', '=', tenantId)
      .where('memberships.user_id', '<>', sql<string>`all(${exceptIds}::uuid[])`)
      .where('memberships.status', '=', 'ACTIVE')
      .where('memberships.role', 'in', roles)
      .where('users.disabled', '=', false)
      // An unconfirmed address may belong to somebody else.
      .where('users.email_verified', '=', true)
      .orderBy('memberships.role', 'desc')
      .orderBy('memberships.joined_at')
      .limit(limit)
      .execute()
  )
}
