import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { createSearchCondition, emailMatches } from '../../db/search.ts'
import type { Range } from '../../http/routing/pagination.ts'
import type { MemberFilter } from './store.ts'

/**
 * One page of the members that match all words, and their total number. INVITED members are only found by the invited
 * address, because the tenant may not learn anything else of their account.
 */
export async function searchMembers(
  db: Db,
  { tenantId, status, role, now }: MemberFilter,
  { words, reversed, offset, limit }: Range & { words: string[]; reversed: boolean },
): Promise<{ total: number; ids: string[] }> {
  const ofRole = role === undefined ? sql`` : sql`and role = ${role}`
  const ofStatus = status === undefined ? sql`` : sql`and status = ${status}`
  const order = reversed ? sql`joined_at desc nulls first, id desc` : sql`joined_at nulls last, id`
  const isFound = await createSearchCondition(db, words, 'memberships.user_id')
  const { rows } = await sql<{ total: number; ids: string[] }>`
    with found as materialized (
      select id, joined_at from memberships
      where tenant_id = ${tenantId} and status <> 'INVITED' ${ofStatus} ${ofRole}
        and ${isFound}
      union all
      select memberships.id, null from memberships join users on users.id = memberships.user_id
      where tenant_id = ${tenantId} and status = 'INVITED' and invited_until > ${now} ${ofStatus} ${ofRole}
        and ${emailMatches(words, 'users.email')}
    )
    select (select count(*)::int from found) as total,
      array(select id from found order by ${order} offset ${offset} limit ${limit}) as ids
  `.execute(db)
  return rows[0] ?? { total: 0, ids: [] }
}
