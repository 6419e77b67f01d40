import { sql } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { MfaPolicy, Role } from '../db/tables.ts'
import type { MfaGrace } from './mfa-policy.ts'

/** The membership of a user in an existing tenant. The id and the role are null for anyone but an ACTIVE member. */
export interface TenantMembership extends MfaGrace {
  /** In canonical form, which the URL may not have. */
  tenantId: string
  membershipId: string | null
  role: Role | null
  /** Whether an operator has suspended the tenant. */
  suspended: boolean
  mfa_policy: MfaPolicy
}

/** Starts the tenant scope for an operator. A write also locks the tenant. Undefined when there is no such tenant. */
export async function enterTenantAsOperator(
  tx: Tx,
  { tenantId, actor, readOnly }: { tenantId: string; actor: string; readOnly: boolean },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id, enter_tenant(id, ${actor}) from tenants where id = ${tenantId}
    ${readOnly ? sql`` : sql`for no key update`}
  `.execute(tx)
  return rows[0]?.id
}

/** Starts the tenant scope and locks the tenant and its members against other writes until the transaction ends. */
export async function lockTenant(tx: Tx, tenantId: string): Promise<void> {
  await sql`select enter_tenant(id) from tenants where id = ${tenantId} for no key update`.execute(tx)
}

/** Undefined when there is no such tenant. In a transaction, this also starts the tenant scope. */
export async function findMembership(
  db: Db,
  { tenantId, userId, actorId = userId }: { tenantId: string; userId: string; actorId?: string | undefined },
): Promise<TenantMembership | undefined> {
  const { rows } = await sql<TenantMembership>`
    select tenants.id as "tenantId", memberships.id as "membershipId", memberships.role,
      tenants.suspended_at is not null as suspended,
      tenants.mfa_policy, tenants.mfa_grace_session_id, tenants.mfa_grace_until,
      enter_tenant(tenants.id, ${`user:${actorId}`})
    from tenants
    left join memberships on memberships.tenant_id = tenants.id
      and memberships.user_id = ${userId} and memberships.status = 'ACTIVE'
    where tenants.id = ${tenantId}
  `.execute(db)
  return rows[0]
}
