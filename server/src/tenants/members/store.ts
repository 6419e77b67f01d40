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

export interface MemberCounts {
  /** Those who have joined: the database keeps count of them. */
  joined: number
  /** Those who are invited at this moment; they stand at the end of the list. */
  invited: number
  /** Grows when the places in the list change, other than by newcomers at its end. */
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

/** Where somebody stands in the list. The time is as the database writes it, to the last digit. */
export interface Place {
  joinedAt: string
  id: string
}

const standing = (db: Db, { tenantId, status, role, now }: MemberFilter) =>
  db
    .selectFrom('memberships')
    .where('tenant_id', '=', tenantId)
    .where((where) => where.or([where('status', '<>', 'INVITED'), where('invited_until', '>', now)]))
    .$if(status !== undefined, (query) => query.where('status', '=', status as MembershipStatus))
    .$if(role !== undefined, (query) => query.where('role', '=', role as Role))

const placeOf = ({ joinedAt, id }: Place) => sql`(${joinedAt}::timestamptz, ${id}::uuid)`

const isFrom = (place: Place) => sql<boolean>`(joined_at, id) >= ${placeOf(place)}`

/** The places of the first of those who have joined, or of who stands at a place, and of every so many after that. */
export async function listPlaces(
  db: Db,
  filter: MemberFilter,
  { every, from }: { every: number; from?: Place },
): Promise<Place[]> {
  const { rows } = await sql<Place>`
    select joined_at::text as "joinedAt", id from (
      ${standing(db, filter)
        .where('joined_at', 'is not', null)
        .$if(from !== undefined, (query) => query.where(isFrom(from as Place)))
        .select(['joined_at', 'id'])
        .select(sql<string>`row_number() over (order by joined_at, id)`.as('place'))}
    ) as places
    where place % ${every} = 1 order by place
  `.execute(db)
  return rows
}

/** How many of those who have joined stand behind a place. */
const countBehind = (db: Db, filter: MemberFilter, place: Place) =>
  standing(db, filter)
    .where(sql<boolean>`(joined_at, id) > ${placeOf(place)}`)
    .where('joined_at', 'is not', null)
    .select(({ fn }) => fn.countAll<string>().as('count'))

/** Which part of a list: counted from its end, from its beginning, or, among those who have joined, from a place. */
export interface Stretch extends Range {
  fromEnd?: boolean
  from?: Place | undefined
}

/** A page of members. By which way it is reached makes no difference to what is on it. */
export const listMemberPage = (db: Db, filter: MemberFilter, stretch: Stretch): Promise<MemberRow[]> =>
  memberPage(db, filter, stretch).execute()

/** The same, and how many of those who have joined stand behind a place. */
export async function listMemberPageBefore(
  db: Db,
  filter: MemberFilter,
  stretch: Stretch,
  place: Place,
): Promise<{ rows: MemberRow[]; behind: number }> {
  const rows = await memberPage(db, filter, stretch)
    .select(countBehind(db, filter, place).as('behind'))
    .execute()
  return { rows, behind: Number(rows[0]?.behind ?? Number.NaN) }
}

function memberPage(db: Db, filter: MemberFilter, stretch: Stretch) {
  const { offset, limit, fromEnd = false, from } = stretch
  // The ids come out of an index alone; only the members on the page are looked at themselves.
  const onPage = standing(db, filter)
    .select('id')
    .$if(from !== undefined, (query) => query.where(isFrom(from as Place)))
    .orderBy('joined_at', (by) => (fromEnd ? by.desc().nullsFirst() : by.asc().nullsLast()))
    .orderBy('id', fromEnd ? 'desc' : 'asc')
    .offset(offset)
    .limit(limit)
  return shownMembers(db).where('memberships.id', 'in', onPage)
}

/** Members by their ids, in the order of the list. */
export const listMembersByIds = (db: Db, ids: string[]): Promise<MemberRow[]> =>
  shownMembers(db).where('memberships.id', 'in', ids).execute()

const shownMembers = (db: Db) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['memberships.id', 'memberships.user_id', 'memberships.status', 'memberships.role'])
    .select(['memberships.joined_at', 'users.email', 'users.picture_url'])
    .select(['users.display_name', 'users.given_name', 'users.family_name'])
    .orderBy('memberships.joined_at')
    .orderBy('memberships.id')

export type MemberRow = Awaited<ReturnType<ReturnType<typeof shownMembers>['execute']>>[number]

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

/**
 * What somebody is in a tenant; undefined: nothing, or invited until before now. Who is INVITED is found by the id that
 * is shown of them, too.
 */
export const findMemberOf = (
  tx: Tx,
  { tenantId, userId, now }: { tenantId: string; userId: string; now: Date },
): Promise<Membership | undefined> =>
  tx
    .selectFrom('memberships')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where((where) =>
      where.or([
        where('user_id', '=', userId),
        where.and([where('id', '=', userId), where('status', '=', 'INVITED')]),
      ]),
    )
    .where((where) => where.or([where('status', '<>', 'INVITED'), where('invited_until', '>', now)]))
    .executeTakeFirst()

/** The member, whom nobody else changes until the transaction ends. */
export const lockMember = (tx: Tx, key: Key): Promise<Membership | undefined> =>
  memberById(tx, key).forNoKeyUpdate().executeTakeFirst()

export const updateMember = (tx: Tx, id: string, change: Updateable<MembershipsTable>): Promise<Membership> =>
  tx.updateTable('memberships').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

export async function deleteMember(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('memberships').where('id', '=', id).execute()
}
