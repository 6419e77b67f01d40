import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { createSearchCondition } from '../../db/search.ts'
import type { LicensingMode, Role } from '../../db/tables.ts'
import type { Range } from '../../http/routing/pagination.ts'
import { type HolderQuery, selectHeldLicenses } from '../holders/store.ts'

/** A member, and the license that they hold now; the license fields are null without one. */
export interface RosterRow {
  userId: string
  membershipId: string
  role: Role
  email: string
  displayName: string
  licenseTypeId: string | null
  slug: string | null
  name: string | null
  assignedAt: Date | null
}

/** An undefined filter matches every member. */
export interface RosterFilter extends HolderQuery {
  mode: LicensingMode
  words: string[]
  licensed: boolean | undefined
  licenseTypeId: string | undefined
  /** Sorts by display name, from Z to A. */
  descending: boolean
}

/** The SQL form of `displayNameOf`. */
const DISPLAY_NAME = sql`coalesce(
  users.display_name,
  nullif(concat_ws(' ', nullif(users.given_name, ''), nullif(users.family_name, '')), ''),
  split_part(users.email, '@', 1)
)`
/** Sorts by code point, so that the order does not depend on the locale of the database. */
const SORT_KEY = sql`lower(${DISPLAY_NAME}) collate "C"`

const toOrder = ({ descending }: RosterFilter, key: RawBuilder<unknown>, id: RawBuilder<unknown>) =>
  descending ? sql`${key} desc, ${id} desc` : sql`${key}, ${id}`

const joinLicenses = ({ mode, ...query }: RosterFilter) => sql`
  left join (${selectHeldLicenses(mode, query)}) as held on held."userId" = memberships.user_id`

const fromMembers = (filter: RosterFilter, joins = joinLicenses(filter)) => sql`
  from memberships
  join users on users.id = memberships.user_id
  ${joins}
  where memberships.tenant_id = ${filter.tenantId} and memberships.status = 'ACTIVE'`

function toConditions({ licensed, licenseTypeId }: RosterFilter, matchesSearch: RawBuilder<boolean>) {
  const isLicensed = sql`held."userId" is not null`
  return sql`
    and ${matchesSearch}
    ${licensed === undefined ? sql`` : licensed ? sql`and ${isLicensed}` : sql`and not (${isLicensed})`}
    ${licenseTypeId === undefined ? sql`` : sql`and held."licenseTypeId" = ${licenseTypeId}`}`
}

/** Finds the membership ids of one page, and the total number of matches. */
export async function findRosterPage(
  db: Db,
  filter: RosterFilter,
  { offset, limit }: Range,
): Promise<{ total: number; ids: string[] }> {
  // Without a license filter, licenses are joined only for the members on the page, by `listRoster`.
  const filtersByLicense = filter.licensed !== undefined || filter.licenseTypeId !== undefined
  const matchesSearch = await createSearchCondition(db, filter.words, 'memberships.user_id')
  const members = filtersByLicense ? fromMembers(filter) : fromMembers(filter, sql``)
  const { rows } = await sql<{ total: number; ids: string[] }>`
    with roster as materialized (
      select memberships.id, ${SORT_KEY} as key ${members} ${toConditions(filter, matchesSearch)}
    )
    select (select count(*)::int from roster) as total,
      array(select id from roster order by ${toOrder(filter, sql`key`, sql`id`)} offset ${offset} limit ${limit}) as ids
  `.execute(db)
  return rows[0] ?? { total: 0, ids: [] }
}

/** Lists members by membership id, sorted by display name. */
export async function listRoster(db: Db, filter: RosterFilter, ids: string[]): Promise<RosterRow[]> {
  const { rows } = await sql<RosterRow>`
    select users.id as "userId", memberships.id as "membershipId", memberships.role, users.email,
      ${DISPLAY_NAME} as "displayName", held."licenseTypeId", held.slug, held.name, held."assignedAt"
    ${fromMembers(filter)} and memberships.id = any(${ids}::uuid[])
    order by ${toOrder(filter, SORT_KEY, sql`memberships.id`)}
  `.execute(db)
  return rows
}
