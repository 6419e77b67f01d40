import type { Db, Tx } from '../../db/open.ts'
import type { DisabledReason } from '../../db/tables.ts'

/** Disables a webhook; returns undefined if it is already disabled or deleted. */
export const markDisabled = (tx: Tx, { id, reason, now }: { id: string; reason: DisabledReason; now: Date }) =>
  tx
    .updateTable('webhooks')
    .set({ disabled_at: now, disabled_reason: reason, updated_at: now })
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .returning(['id', 'tenant_id', 'url'])
    .executeTakeFirst()

export const findTenantName = (db: Db, id: string): Promise<{ name: string } | undefined> =>
  db.selectFrom('tenants').select('name').where('id', '=', id).executeTakeFirst()

interface Reader {
  email: string
  locale: string | null
}

const selectReachableUsers = (db: Db) =>
  db
    .selectFrom('users')
    .select(['users.email', 'users.locale'])
    .where('users.disabled', '=', false)
    .where('users.email_verified', '=', true)
    .where('users.deletion_requested_at', 'is', null)

/** Owners and administrators of a tenant, owners first. */
export const listTenantAdmins = (db: Db, tenantId: string, limit: number): Promise<Reader[]> =>
  selectReachableUsers(db)
    .innerJoin('memberships', 'memberships.user_id', 'users.id')
    .where('memberships.tenant_id', '=', tenantId)
    .where('memberships.status', '=', 'ACTIVE')
    .where('memberships.role', 'in', ['owner', 'admin'])
    .orderBy('memberships.role', 'desc')
    .orderBy('users.id')
    .limit(limit)
    .execute()

export const listSuperAdmins = (db: Db, limit: number): Promise<Reader[]> =>
  selectReachableUsers(db).where('users.is_super_admin', '=', true).orderBy('users.id').limit(limit).execute()
