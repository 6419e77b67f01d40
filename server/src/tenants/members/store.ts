import { type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { MembershipStatus, MembershipsTable, Role } from '../../db/tables.ts'
import type { Range } from '../../http/pagination.ts'

export type Membership = Selectable<MembershipsTable>

export interface MemberFilter {
  tenantId: string
  status: MembershipStatus | undefined
  role: Role | undefined
  /** Who was invited until before this is not there any more. */
  now: Date
}

/** How many members a list has on all its pages: the database keeps count of all but the INVITED ones. */
export async function countMembers(db: Db, { tenantId, status, role, now }: MemberFilter): Promise<number> {
  const settled = sql`
    select sum(count) from member_counts where tenant_id = ${tenantId}
    ${status === undefined ? sql`` : sql`and status = ${status}`}
    ${role === undefined ? sql`` : sql`and role = ${role}`}`
  const invited = sql`
    select count(*) from memberships
    where tenant_id = ${tenantId} and status = 'INVITED' and invited_until > ${now}
    ${role === undefined ? sql`` : sql`and role = ${role}`}`
  const { rows } = await sql<{ total: number }>`
    select (
      ${status === 'INVITED' ? sql`0` : sql`coalesce((${settled}), 0)`}
      + ${status === undefined || status === 'INVITED' ? sql`(${invited})` : sql`0`}
    )::int as total
  `.execute(db)
  return rows[0]?.total ?? 0
}

/** A page of members. From which end of the list it is reached makes no difference to what is on it. */
export async function listMemberPage(
  db: Db,
  { tenantId, status, role, now }: MemberFilter,
  { offset, limit, fromEnd }: Range & { fromEnd: boolean },
) {
  // The ids come out of an index alone; only the members on the page are looked at themselves.
  const onPage = db
    .selectFrom('memberships')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where((where) => where.or([where('status', '<>', 'INVITED'), where('invited_until', '>', now)]))
    .$if(status !== undefined, (query) => query.where('status', '=', status as MembershipStatus))
    .$if(role !== undefined, (query) => query.where('role', '=', role as Role))
    .orderBy('joined_at', fromEnd ? sql`desc nulls first` : sql`asc nulls last`)
    .orderBy('id', fromEnd ? 'desc' : 'asc')
    .offset(offset)
    .limit(limit)
  return db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['memberships.id', 'memberships.user_id', 'memberships.status', 'memberships.role'])
    .select(['memberships.joined_at', 'users.email', 'users.picture_url'])
    .select(['users.display_name', 'users.given_name', 'users.family_name'])
    .where('memberships.id', 'in', onPage)
    .orderBy('memberships.joined_at')
    .orderBy('memberships.id')
    .execute()
}
export type MemberRow = Awaited<ReturnType<typeof listMemberPage>>[number]

interface Key {
  tenantId: string
  id: string
  now: Date
}

const memberById = (tx: Tx, { tenantId, id, now }: Key) =>
  tx
    .selectFrom('memberships')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where((where) => where.or([where('status', '<>', 'INVITED'), where('invited_until', '>', now)]))

export const findMember = (tx: Tx, key: Key): Promise<Membership | undefined> =>
  memberById(tx, key).executeTakeFirst()

/** The member, whom nobody else changes until the transaction ends. */
export const lockMember = (tx: Tx, key: Key): Promise<Membership | undefined> =>
  memberById(tx, key).forNoKeyUpdate().executeTakeFirst()

export const updateMember = (tx: Tx, id: string, change: Updateable<MembershipsTable>): Promise<Membership> =>
  tx.updateTable('memberships').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

export async function deleteMember(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('memberships').where('id', '=', id).execute()
}
