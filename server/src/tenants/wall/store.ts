import { sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { MfaPolicy, Role } from '../../db/tables.ts'
import type { MfaGrace } from '../mfa-policy.ts'

/** What somebody is in a tenant that exists; nulls: no ACTIVE member. */
export interface Standing extends MfaGrace {
  /** As the database writes it, whatever the address said. */
  tenantId: string
  membershipId: string | null
  role: Role | null
  /** An operator has suspended the tenant. */
  suspended: boolean
  mfa_policy: MfaPolicy
}

/** A transaction that sees one moment, whatever happens meanwhile, so that a list and its count agree. */
export const startReading = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work)

export const startWriting = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().execute(work)

/** For whoever runs the instance: undefined when there is no such tenant. Whoever changes it holds it meanwhile. */
export async function enterAs(
  tx: Tx,
  { tenantId, actor, readOnly }: { tenantId: string; actor: string; readOnly: boolean },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id, enter_tenant(id, ${actor}) from tenants where id = ${tenantId}
    ${readOnly ? sql`` : sql`for no key update`}
  `.execute(tx)
  return rows[0]?.id
}

/** Others who would change this tenant or its members wait until the transaction ends. */
export async function lockAndEnter(tx: Tx, tenantId: string): Promise<void> {
  await sql`select enter_tenant(id) from tenants where id = ${tenantId} for no key update`.execute(tx)
}

/** Undefined when there is no such tenant. In a transaction, no other is to be seen from then on. */
export async function findStanding(
  db: Db,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<Standing | undefined> {
  const { rows } = await sql<Standing>`
    select tenants.id as "tenantId", memberships.id as "membershipId", memberships.role,
      tenants.suspended_at is not null as suspended,
      tenants.mfa_policy, tenants.mfa_grace_session_id, tenants.mfa_grace_until,
      enter_tenant(tenants.id, ${`user:${userId}`})
    from tenants
    left join memberships on memberships.tenant_id = tenants.id
      and memberships.user_id = ${userId} and memberships.status = 'ACTIVE'
    where tenants.id = ${tenantId}
  `.execute(db)
  return rows[0]
}
