import type pg from 'pg'
import { newId } from '../../src/lib/ids.ts'

/** Many ACTIVE members of a tenant, laid out past the service; by their ids in order. */
export async function addCrowd(db: pg.Pool, tenantId: string, many: number): Promise<string[]> {
  const people = Array.from({ length: many }, newId).sort()
  await db.query(
    `insert into users (id, email, email_verified, created_at, updated_at)
     select id, id || '@people.test', true, now(), now() from unnest($1::uuid[]) as id`,
    [people],
  )
  await db.query(
    `insert into memberships (id, tenant_id, user_id, role, status, joined_at, created_at, updated_at)
     select gen_random_uuid(), $1, id, 'member', 'ACTIVE', now(), now(), now() from unnest($2::uuid[]) as id`,
    [tenantId, people],
  )
  return people
}
