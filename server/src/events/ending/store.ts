import type { Db, Tx } from '../../db/open.ts'
import type { DisabledReason } from '../../db/tables.ts'

/** Disables a webhook; undefined when it is already, or is gone. */
export const disable = (tx: Tx, { id, reason, now }: { id: string; reason: DisabledReason; now: Date }) =>
  tx
    .updateTable('webhooks')
    .set({ disabled_at: now, disabled_reason: reason, updated_at: now })
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .returning(['id', 'tenant_id', 'url'])
    .executeTakeFirst()

export const findTenantName = (db: Db, id: string): Promise<{ name: string } | undefined> =>
  db.selectFrom('tenants').select('name').where('id', '=', id).executeTakeFirst()

const reachable = (db: Db) =>
  db
    .selectFrom('users')
    .select('users.email')
    .where('users.disabled', '=', false)
    .where('users.email_verified', '=', true)
    .where('users.deletion_requested_at', 'is', null)

/** Who looks after a tenant, owners first. */
export const listStewards = (db: Db, tenantId: string, limit: number): Promise<{ email: string }[]> =>
  reachable(db)
    .innerJoin('memberships', 'memberships.user_id', 'users.id')
    .where('memberships.tenant_id', '=', tenantId)
    .where('memberships.status', '=', 'ACTIVE')
    .where('memberships.role', 'in', ['owner', 'admin'])
    .orderBy('memberships.role', 'desc')
    .orderBy('users.id')
    .limit(limit)
    .execute()

export const listSuperAdmins = (db: Db, limit: number): Promise<{ email: string }[]> =>
  reachable(db).where('users.is_super_admin', '=', true).orderBy('users.id').limit(limit).execute()
