import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { MembershipsTable, Role, TenantsTable } from '../db/tables.ts'

export type Tenant = Selectable<TenantsTable>

export interface Member {
  id: string
  tenantId: string
  email: string
  role: Role
  status: MembershipsTable['status']
}

export const listTenantsBySlug = (db: Db, slugs: string[]): Promise<Tenant[]> =>
  db.selectFrom('tenants').selectAll().where('slug', 'in', slugs).execute()

export const findTenantBySlug = (db: Db, slug: string): Promise<Tenant | undefined> =>
  db.selectFrom('tenants').selectAll().where('slug', '=', slug).executeTakeFirst()

/** Undefined when the slug is taken. */
export const insertTenant = (tx: Tx, tenant: Insertable<TenantsTable>): Promise<Tenant | undefined> =>
  tx
    .insertInto('tenants')
    .values(tenant)
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returningAll()
    .executeTakeFirst()

export const findTenantById = (db: Db, id: string): Promise<Tenant | undefined> =>
  db.selectFrom('tenants').selectAll().where('id', '=', id).executeTakeFirst()

export const updateTenant = (tx: Tx, id: string, change: Updateable<TenantsTable>): Promise<Tenant> =>
  tx.updateTable('tenants').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

export async function deleteTenant(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('tenants').where('id', '=', id).execute()
}

/** The number of ACTIVE members of a tenant, which triggers maintain. */
export const memberCount = sql<number>`(
  select coalesce(sum(count), 0)::int from member_counts
  where member_counts.tenant_id = tenants.id and member_counts.status = 'ACTIVE'
)`

export const findTenantWithCount = (db: Db, id: string) =>
  db.selectFrom('tenants').selectAll().select(memberCount.as('member_count')).where('id', '=', id).executeTakeFirst()

export type TenantWithCount = NonNullable<Awaited<ReturnType<typeof findTenantWithCount>>>

/** The tenants that the user is an ACTIVE member of, ordered by name. */
export const listTenantsOf = (db: Db, userId: string) =>
  db
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .select(['tenants.id', 'tenants.name', 'tenants.slug', 'tenants.created_at', 'memberships.role'])
    .select('tenants.suspended_at')
    .select(memberCount.as('member_count'))
    .where('memberships.user_id', '=', userId)
    .where('memberships.status', '=', 'ACTIVE')
    .orderBy(({ fn }) => fn('lower', ['tenants.name']))
    .orderBy('tenants.id')
    .execute()

/** The member list of the API is in `members/store.ts`. */
export const listMembersForDeclaration = (db: Db, tenantIds: string[]): Promise<Member[]> =>
  tenantIds.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('memberships')
        .innerJoin('users', 'users.id', 'memberships.user_id')
        .select(['memberships.id', 'memberships.tenant_id as tenantId', 'users.email'])
        .select(['memberships.role', 'memberships.status'])
        .where('memberships.tenant_id', 'in', tenantIds)
        .execute()

/** Without users who have requested deletion and without unverified addresses, which may belong to somebody else. */
export const listUserIdsByEmail = (db: Db, emails: string[]): Promise<{ id: string; email: string }[]> =>
  emails.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('users')
        .select(['id', 'email'])
        .where(sql<boolean>`email = any(${emails})`)
        .where('deletion_requested_at', 'is', null)
        .where('email_verified', '=', true)
        .execute()

export async function insertMembership(tx: Tx, membership: Insertable<MembershipsTable>): Promise<void> {
  await tx.insertInto('memberships').values(membership).execute()
}

/** Adds the member, or replaces the role and status of an existing one. */
export async function upsertMembership(tx: Tx, membership: Insertable<MembershipsTable>): Promise<void> {
  const { role, status, joined_at, updated_at } = membership
  await tx
    .insertInto('memberships')
    .values(membership)
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'user_id']).doUpdateSet({
        role,
        status,
        joined_at: sql`coalesce(memberships.joined_at, ${joined_at})`,
        invited_until: null,
        updated_at,
      }),
    )
    .execute()
}

/** Locks the tenant and its members against other writes until the transaction ends. */
export async function lockTenant(tx: Tx, id: string): Promise<void> {
  await tx.selectFrom('tenants').select('id').where('id', '=', id).forNoKeyUpdate().execute()
}

export const findActiveOwner = (db: Db, tenantId: string): Promise<{ id: string } | undefined> =>
  db
    .selectFrom('memberships')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('role', '=', 'owner')
    .where('status', '=', 'ACTIVE')
    .limit(1)
    .executeTakeFirst()

/** The memberships of a person in any status, except expired invitations. */
export const listMembershipsOf = (db: Db, userId: string, now: Date) =>
  db
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .select(['tenants.id as tenantId', 'tenants.name as tenantName', 'tenants.slug as tenantSlug'])
    .select(['memberships.role', 'memberships.status'])
    .where('memberships.user_id', '=', userId)
    .where((where) => where.or([where('status', '<>', 'INVITED'), where('invited_until', '>', now)]))
    .orderBy(({ fn }) => fn('lower', ['tenants.name']))
    .orderBy('tenants.id')
    .execute()
