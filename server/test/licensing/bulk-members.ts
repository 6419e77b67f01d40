import type pg from 'pg'
import { newId } from '../../src/lib/ids.ts'

/** Inserts ACTIVE members directly into the database, and returns their user ids in order. */
export async function insertMembers(db: pg.Pool, tenantId: string, count: number): Promise<string[]> {
  const userIds = Array.from({ length: count }, newId).sort()
  await db.query(
    `insert into users (id, email, email_verified, created_at, updated_at)
     select id, id || '@people.test', true, now(), now() from unnest($1::uuid[]) as id`,
    [userIds],
  )
  await db.query(
    `insert into memberships (id, tenant_id, user_id, role, status, joined_at, created_at, updated_at)
     select gen_random_uuid(), $1, id, 'member', 'ACTIVE', now(), now(), now() from unnest($2::uuid[]) as id`,
    [tenantId, userIds],
  )
  return userIds
}
