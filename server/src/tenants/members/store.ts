import { type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { MembershipStatus, MembershipsTable, Role } from '../../db/tables.ts'
import type { Range } from '../../http/routing/pagination.ts'

export type Membership = Selectable<MembershipsTable>

export interface MemberFilter {
  tenantId: string
  status: MembershipStatus | undefined
  role: Role | undefined
  /** Members whose invitation expired before this time are not listed. */
  now: Date
}

export interface MemberCounts {
  /** The number of members who have joined, which triggers maintain. */
  joined: number
  /** The number of members with an open invitation, who come last in the list. */
  invited: number
  /** Increases with every change of the order of the list, except for new members at its end. */
  shuffles: string
}

export async function countMembers(db: Db, filter: MemberFilter): Promise<MemberCounts> {
  const { tenantId, status, role, now } = filter
  const ofRole = role === undefined ? sql`` : sql`and role = ${role}`
  const ofStatus = status === undefined ? sql`` : sql`and status = ${status}`
  const { rows } = await sql<MemberCounts>`
    select coalesce(sum(count), 0)::int as joined, coalesce(sum(shuffles), 0)::text as shuffles, (
      select count(*)::int from memberships
      where tenant_id = ${tenantId} and status = 'INVITED' and invited_until > ${now} ${ofRole} ${ofStatus}
    ) as invited
    from member_counts where tenant_id = ${tenantId} ${ofRole} ${ofStatus}
  `.execute(db)
  return rows[0] ?? { joined: 0, invited: 0, shuffles: '0' }
}

/** The sort key of a member. The time is text, because a JavaScript date would lose the microseconds. */
export interface ListPosition {
  joinedAt: string
  id: string
}

const selectListed = (db: Db, { tenantId, status, role, now }: MemberFilter) =>
  db
    .selectFrom('memberships')
    .where('tenant_id', '=', tenantId)
    .where((where) => where.or([where('status', '<>', 'INVITED'), where('invited_until', '>', now)]))
    .$if(status !== undefined, (query) => query.where('status', '=', status as MembershipStatus))
    .$if(role !== undefined, (query) => query.where('role', '=', role as Role))

const toRowValue = ({ joinedAt, id }: ListPosition) => sql`(${joinedAt}::timestamptz, ${id}::uuid)`

const isFrom = (position: ListPosition) => sql<boolean>`(joined_at, id) >= ${toRowValue(position)}`

/** The position of every nth joined member, starting with the first one or with the one at `from`. */
export async function listPositions(
  db: Db,
  filter: MemberFilter,
  { every, from }: { every: number; from?: ListPosition },
): Promise<ListPosition[]> {
  const { rows } = await sql<ListPosition>`
    select joined_at::text as "joinedAt", id from (
      ${selectListed(db, filter)
        .where('joined_at', 'is not', null)
        .$if(from !== undefined, (query) => query.where(isFrom(from as ListPosition)))
        .select(['joined_at', 'id'])
        .select(sql<string>`row_number() over (order by joined_at, id)`.as('number'))}
    ) as numbered
    where number % ${every} = 1 order by number
  `.execute(db)
  return rows
}

/** Counts the joined members after a position. */
const countAfter = (db: Db, filter: MemberFilter, position: ListPosition) =>
  selectListed(db, filter)
    .where(sql<boolean>`(joined_at, id) > ${toRowValue(position)}`)
    .where('joined_at', 'is not', null)
    .select(({ fn }) => fn.countAll<string>().as('count'))

/** The offset counts from the beginning of the list, from its end, or from a position among the joined members. */
export interface PageRange extends Range {
  fromEnd?: boolean
  from?: ListPosition | undefined
}

export const listMemberPage = (db: Db, filter: MemberFilter, range: PageRange): Promise<MemberRow[]> =>
  selectPage(db, filter, range).execute()

/** Also counts the joined members after a position. */
export async function listMemberPageAndCountAfter(
  db: Db,
  filter: MemberFilter,
  range: PageRange,
  position: ListPosition,
): Promise<{ rows: MemberRow[]; after: number }> {
  const rows = await selectPage(db, filter, range)
    .select(countAfter(db, filter, position).as('after'))
    .execute()
  return { rows, after: Number(rows[0]?.after ?? Number.NaN) }
}

function selectPage(db: Db, filter: MemberFilter, range: PageRange) {
  const { offset, limit, fromEnd = false, from } = range
  // An index-only scan finds the ids; the joins are only done for the members on the page.
  const onPage = selectListed(db, filter)
    .select('id')
    .$if(from !== undefined, (query) => query.where(isFrom(from as ListPosition)))
    .orderBy('joined_at', (order) => (fromEnd ? order.desc().nullsFirst() : order.asc().nullsLast()))
    .orderBy('id', fromEnd ? 'desc' : 'asc')
    .offset(offset)
    .limit(limit)
  return selectMemberRows(db).where('memberships.id', 'in', onPage)
}

/** In the order of the list. */
export const listMembersByIds = (db: Db, ids: string[]): Promise<MemberRow[]> =>
  selectMemberRows(db).where('memberships.id', 'in', ids).execute()

const selectMemberRows = (db: Db) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['memberships.id', 'memberships.user_id', 'memberships.status', 'memberships.role'])
    .select(['memberships.joined_at', 'users.email', 'users.picture_url'])
    .select(['users.display_name', 'users.given_name', 'users.family_name'])
    .orderBy('memberships.joined_at')
    .orderBy('memberships.id')

export type MemberRow = Awaited<ReturnType<ReturnType<typeof selectMemberRows>['execute']>>[number]

interface MemberKey {
  tenantId: string
  id: string
  now: Date
}

const memberById = (tx: Tx, { tenantId, id, now }: MemberKey) =>
  tx
    .selectFrom('memberships')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where((where) => where.or([where('status', '<>', 'INVITED'), where('invited_until', '>', now)]))

export const findMember = (tx: Tx, key: MemberKey): Promise<Membership | undefined> =>
  memberById(tx, key).executeTakeFirst()

/** Undefined also for an expired invitation. An INVITED member is also found by its visible `userId`. */
export const findMemberOf = (
  tx: Tx,
  { tenantId, userId, now }: { tenantId: string; userId: string; now: Date },
): Promise<Membership | undefined> =>
  tx
    .selectFrom('memberships')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where((where) =>
      where.or([where('user_id', '=', userId), where.and([where('id', '=', userId), where('status', '=', 'INVITED')])]),
    )
    .where((where) => where.or([where('status', '<>', 'INVITED'), where('invited_until', '>', now)]))
    .executeTakeFirst()

/** Locks the row until the transaction ends. */
export const lockMember = (tx: Tx, key: MemberKey): Promise<Membership | undefined> =>
  memberById(tx, key).forNoKeyUpdate().executeTakeFirst()

export const updateMember = (tx: Tx, id: string, change: Updateable<MembershipsTable>): Promise<Membership> =>
  tx.updateTable('memberships').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

export async function deleteMember(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('memberships').where('id', '=', id).execute()
}
