import { sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { LicensingMode } from '../../db/tables.ts'
import { isUsableAt } from '../periods-store.ts'

export interface Holder {
  userId: string
  email: string
  givenName: string | null
  familyName: string | null
  licenseType: string
  licenseTypeName: string
  assignedAt: Date
}

export interface HolderQuery {
  tenantId: string
  applicationId: string
  now: Date
}

/** Enters the tenant scope of row-level security. Returns undefined if the application does not exist. */
export async function enterTenantScope(
  tx: Tx,
  { tenantId, applicationId }: Pick<HolderQuery, 'tenantId' | 'applicationId'>,
): Promise<LicensingMode | undefined> {
  const { rows } = await sql<{ mode: LicensingMode }>`
    select licensing_mode as mode, enter_tenant(${tenantId}::uuid) from applications where id = ${applicationId}
  `.execute(tx)
  return rows[0]?.mode
}

/** For PER_SEAT. A suspended or disabled member has no ASSIGNED seat, so neither is filtered here. */
const fromSeatHolders = ({ tenantId, applicationId, now }: HolderQuery) => sql`
  from seats
  join subscriptions on subscriptions.id = seats.subscription_id
  join license_types on license_types.id = seats.license_type_id
  join users on users.id = seats.user_id
  where seats.tenant_id = ${tenantId} and seats.application_id = ${applicationId} and seats.status = 'ASSIGNED'
    and ${isUsableAt(now)}`

/** For FREE and TENANT_WIDE: every ACTIVE member holds the same license type. */
const fromAllMembers = (mode: LicensingMode, query: HolderQuery) => sql`
  from (${selectSharedType(mode, query)}) as shared
  join memberships on memberships.tenant_id = ${query.tenantId} and memberships.status = 'ACTIVE'
  join users on users.id = memberships.user_id
  where not users.disabled`

const selectSharedType = (mode: LicensingMode, query: HolderQuery) =>
  mode === 'FREE' ? selectFreeType(query.applicationId) : selectTenantWideType(query)

const selectFreeType = (applicationId: string) => sql`
  select id, slug, name, null::timestamptz as since from license_types
  where application_id = ${applicationId} and status = 'ACTIVE'
  order by display_order, created_at, id limit 1`

const selectTenantWideType = ({ tenantId, applicationId, now }: HolderQuery) => sql`
  select license_types.id, license_types.slug, license_types.name, subscriptions.current_period_start as since
  from subscriptions join license_types on license_types.id = subscriptions.license_type_id
  where subscriptions.tenant_id = ${tenantId} and subscriptions.application_id = ${applicationId} and ${isUsableAt(now)}
  order by license_types.display_order desc, subscriptions.created_at desc, subscriptions.id limit 1`

/** Selects the same holders as `listHolders`, to be joined by "userId". */
export const selectHeldLicenses = (mode: LicensingMode, query: HolderQuery) =>
  mode === 'PER_SEAT'
    ? sql`
        select seats.user_id as "userId", license_types.id as "licenseTypeId", license_types.slug,
          license_types.name, seats.assigned_at as "assignedAt"
        ${fromSeatHolders(query)}`
    : sql`
        select users.id as "userId", shared.id as "licenseTypeId", shared.slug, shared.name,
          greatest(memberships.joined_at, shared.since) as "assignedAt"
        ${fromAllMembers(mode, query)}`

export async function listHolders(db: Db, mode: LicensingMode, query: HolderQuery): Promise<Holder[]> {
  const person = sql`users.id as "userId", users.email, users.given_name as "givenName",
    users.family_name as "familyName"`
  const { rows } = await (mode === 'PER_SEAT'
    ? sql<Holder>`
        select ${person}, license_types.slug as "licenseType", license_types.name as "licenseTypeName",
          seats.assigned_at as "assignedAt"
        ${fromSeatHolders(query)} order by seats.assigned_at, seats.id`
    : sql<Holder>`
        select ${person}, shared.slug as "licenseType", shared.name as "licenseTypeName",
          greatest(memberships.joined_at, shared.since) as "assignedAt"
        ${fromAllMembers(mode, query)} order by "assignedAt", memberships.id`
  ).execute(db)
  return rows
}

/** Uses the maintained member counts and subtracts the few disabled members, to avoid counting all memberships. */
const selectMemberCount = (mode: LicensingMode, query: HolderQuery) => sql`
  select coalesce(max(
    (select coalesce(sum(count), 0) from member_counts where tenant_id = ${query.tenantId} and status = 'ACTIVE')
    - (select count(*) from users join memberships on memberships.user_id = users.id
       where users.disabled and memberships.tenant_id = ${query.tenantId} and memberships.status = 'ACTIVE')
  ), 0)::int as count
  from (${selectSharedType(mode, query)}) as shared`

/** Uses the seat counters of the subscriptions. */
const selectSeatCount = ({ tenantId, applicationId, now }: HolderQuery) => sql`
  select coalesce(sum(quantity_assigned), 0)::int as count from subscriptions
  where tenant_id = ${tenantId} and application_id = ${applicationId} and ${isUsableAt(now)}`

export async function countHolders(db: Db, mode: LicensingMode, query: HolderQuery): Promise<number> {
  const count = mode === 'PER_SEAT' ? selectSeatCount(query) : selectMemberCount(mode, query)
  const { rows } = await sql<{ count: number }>`${count}`.execute(db)
  return rows[0]?.count ?? 0
}
