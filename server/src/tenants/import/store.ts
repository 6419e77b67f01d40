import { type Insertable, sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { MembershipsTable, Role } from '../../db/tables.ts'

export interface NamedTenant {
  id: string
  slug: string
}

/** The tenants with these slugs. Others who would change one, or its members, wait until the transaction ends. */
export const lockTenantsNamed = (tx: Tx, slugs: string[]): Promise<NamedTenant[]> =>
  tx
    .selectFrom('tenants')
    .select(['id', 'slug'])
    .where('slug', 'in', slugs)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()

export const listTenantsNamed = (db: Db, slugs: string[]): Promise<NamedTenant[]> =>
  db.selectFrom('tenants').select(['id', 'slug']).where('slug', 'in', slugs).execute()

/** Makes these people ACTIVE members where they are none, or only INVITED; answers who became one. */
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
