import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { findBy } from '../../db/search.ts'
import type { LicensingMode, Role } from '../../db/tables.ts'
import type { Range } from '../../http/pagination.ts'
import { type Asked, heldLicenses } from '../holders/store.ts'

/** A member, and the licence they hold at this moment; nulls: none. */
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

/** Who is asked for. What is left out does not matter. */
export interface RosterFilter extends Asked {
  mode: LicensingMode
  words: string[]
  licensed: boolean | undefined
  licenseTypeId: string | undefined
}

/** As `displayNameOf` has it. */
const NAME = sql`coalesce(
  users.display_name,
  nullif(concat_ws(' ', nullif(users.given_name, ''), nullif(users.family_name, '')), ''),
  split_part(users.email, '@', 1)
)`
/** By code point, so that the order is the same on every database. */
const KEY = sql`lower(${NAME}) collate "C"`

const licenses = ({ mode, ...asked }: RosterFilter) => sql`
  left join (${heldLicenses(mode, asked)}) as held on held."userId" = memberships.user_id`

const members = (filter: RosterFilter, joined = licenses(filter)) => sql`
  from memberships
  join users on users.id = memberships.user_id
  ${joined}
  where memberships.tenant_id = ${filter.tenantId} and memberships.status = 'ACTIVE'`

function narrowed({ licensed, licenseTypeId }: RosterFilter, isFound: RawBuilder<boolean>) {
  const has = sql`held."userId" is not null`
  return sql`
    and ${isFound}
    ${licensed === undefined ? sql`` : licensed ? sql`and ${has}` : sql`and not (${has})`}
    ${licenseTypeId === undefined ? sql`` : sql`and held."licenseTypeId" = ${licenseTypeId}`}`
}

/** The memberships of a part of the list, in no order, and how many there are in all. */
export async function findPage(
  db: Db,
  filter: RosterFilter,
  { offset, limit }: Range,
): Promise<{ total: number; ids: string[] }> {
  // Whose licence does not matter is looked at only once they are on the page.
  const matters = filter.licensed !== undefined || filter.licenseTypeId !== undefined
  const isFound = await findBy(db, filter.words, 'memberships.user_id')
  const all = matters ? members(filter) : members(filter, sql``)
  const { rows } = await sql<{ total: number; ids: string[] }>`
    with roster as materialized (
      select memberships.id, ${KEY} as key ${all} ${narrowed(filter, isFound)}
    )
    select (select count(*)::int from roster) as total,
      array(select id from roster order by key, id offset ${offset} limit ${limit}) as ids
  `.execute(db)
  return rows[0] ?? { total: 0, ids: [] }
}

/** Members by their memberships, in the order of the list. */
export async function listRoster(db: Db, filter: RosterFilter, ids: string[]): Promise<RosterRow[]> {
  const { rows } = await sql<RosterRow>`
    select users.id as "userId", memberships.id as "membershipId", memberships.role, users.email,
      ${NAME} as "displayName", held."licenseTypeId", held.slug, held.name, held."assignedAt"
    ${members(filter)} and memberships.id = any(${ids}::uuid[])
    order by ${KEY}, memberships.id
  `.execute(db)
  return rows
}
