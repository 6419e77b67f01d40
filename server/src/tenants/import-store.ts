import { type Insertable, sql } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { MembershipsTable, Role } from '../db/tables.ts'

export interface TenantSlug {
  id: string
  slug: string
}

/** Locks the tenants until the transaction ends, ordered by id to avoid deadlocks. */
export const lockTenantsWithSlugs = (tx: Tx, slugs: string[]): Promise<TenantSlug[]> =>
  tx.selectFrom('tenants').select(['id', 'slug']).where('slug', 'in', slugs).orderBy('id').forNoKeyUpdate().execute()

export const listTenantsWithSlugs = (db: Db, slugs: string[]): Promise<TenantSlug[]> =>
  db.selectFrom('tenants').select(['id', 'slug']).where('slug', 'in', slugs).execute()

/** Adds ACTIVE members and activates INVITED ones. Returns the added and activated members. */
export const insertMembersIfNew = (
  tx: Tx,
  members: Insertable<MembershipsTable>[],
): Promise<{ tenant_id: string; user_id: string; role: Role }[]> =>
  tx
    .insertInto('memberships')
    .values(members)
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'user_id'])
        .doUpdateSet({
          role: sql`excluded.role`,
          status: sql`excluded.status`,
          joined_at: sql`excluded.joined_at`,
          updated_at: sql`excluded.updated_at`,
          invited_until: null,
        })
        .where('memberships.status', '=', 'INVITED'),
    )
    .returning(['tenant_id', 'user_id', 'role'])
    .execute()
