import { sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { LicensingMode } from '../../db/tables.ts'
import { usableAt } from '../periods/store.ts'

export interface Holder {
  userId: string
  email: string
  givenName: string | null
  familyName: string | null
  licenseType: string
  licenseTypeName: string
  assignedAt: Date
}

export interface Asked {
  tenantId: string
  applicationId: string
  now: Date
}

/** From here on the transaction sees this tenant alone. Undefined: there is no such application. */
export async function enterFor(
  tx: Tx,
  { tenantId, applicationId }: Pick<Asked, 'tenantId' | 'applicationId'>,
): Promise<LicensingMode | undefined> {
  const { rows } = await sql<{ mode: LicensingMode }>`
    select licensing_mode as mode, enter_tenant(${tenantId}::uuid) from applications where id = ${applicationId}
  `.execute(tx)
  return rows[0]?.mode
}

/** Everybody with a seat that is good at this moment. Who is suspended or disabled has none. */
const seatHolders = ({ tenantId, applicationId, now }: Asked) => sql`
  from seats
  join subscriptions on subscriptions.id = seats.subscription_id
  join license_types on license_types.id = seats.license_type_id
  join users on users.id = seats.user_id
  where seats.tenant_id = ${tenantId} and seats.application_id = ${applicationId} and seats.status = 'ASSIGNED'
    and ${usableAt(now)}`

/** Everybody, where one licence is for all: the type that all have, with every ACTIVE member. */
const everybody = (mode: LicensingMode, { tenantId, applicationId, now }: Asked) => sql`
  from (${mode === 'FREE' ? firstType(applicationId) : bestType({ tenantId, applicationId, now })}) as shared
  join memberships on memberships.tenant_id = ${tenantId} and memberships.status = 'ACTIVE'
  join users on users.id = memberships.user_id
  where not users.disabled`

const firstType = (applicationId: string) => sql`
  select id, slug, name, null::timestamptz as since from license_types
  where application_id = ${applicationId} and status = 'ACTIVE'
  order by display_order, created_at, id limit 1`

const bestType = ({ tenantId, applicationId, now }: Asked) => sql`
  select license_types.id, license_types.slug, license_types.name, subscriptions.current_period_start as since
  from subscriptions join license_types on license_types.id = subscriptions.license_type_id
  where subscriptions.tenant_id = ${tenantId} and subscriptions.application_id = ${applicationId} and ${usableAt(now)}
  order by license_types.display_order desc, subscriptions.created_at desc, subscriptions.id limit 1`

/** Who holds which licence, by the very rules of the list: the same rows, to be joined by "userId". */
export const heldLicenses = (mode: LicensingMode, asked: Asked) =>
  mode === 'PER_SEAT'
    ? sql`
        select seats.user_id as "userId", license_types.id as "licenseTypeId", license_types.slug,
          license_types.name, seats.assigned_at as "assignedAt"
        ${seatHolders(asked)}`
    : sql`
        select users.id as "userId", shared.id as "licenseTypeId", shared.slug, shared.name,
          greatest(memberships.joined_at, shared.since) as "assignedAt"
        ${everybody(mode, asked)}`

export async function listHolders(db: Db, mode: LicensingMode, asked: Asked): Promise<Holder[]> {
  const person = sql`users.id as "userId", users.email, users.given_name as "givenName",
    users.family_name as "familyName"`
  const { rows } = await (mode === 'PER_SEAT'
    ? sql<Holder>`
        select ${person}, license_types.slug as "licenseType", license_types.name as "licenseTypeName",
          seats.assigned_at as "assignedAt"
        ${seatHolders(asked)} order by seats.assigned_at, seats.id`
    : sql<Holder>`
        select ${person}, shared.slug as "licenseType", shared.name as "licenseTypeName",
          greatest(memberships.joined_at, shared.since) as "assignedAt"
        ${everybody(mode, asked)} order by "assignedAt", memberships.id`
  ).execute(db)
  return rows
}

/** How many ACTIVE members there are is known; of them those who are disabled are few. */
const countEverybody = (mode: LicensingMode, asked: Asked) => sql`
  select coalesce(max(
    (select coalesce(sum(count), 0) from member_counts where tenant_id = ${asked.tenantId} and status = 'ACTIVE')
    - (select count(*) from users join memberships on memberships.user_id = users.id
       where users.disabled and memberships.tenant_id = ${asked.tenantId} and memberships.status = 'ACTIVE')
  ), 0)::int as count
  from (${mode === 'FREE' ? firstType(asked.applicationId) : bestType(asked)}) as shared`

/** How many hold a seat is counted where the seats are bought. */
const heldSeats = ({ tenantId, applicationId, now }: Asked) => sql`
  select coalesce(sum(quantity_assigned), 0)::int as count from subscriptions
  where tenant_id = ${tenantId} and application_id = ${applicationId} and ${usableAt(now)}`

export async function countHolders(db: Db, mode: LicensingMode, asked: Asked): Promise<number> {
  const count = mode === 'PER_SEAT' ? heldSeats(asked) : countEverybody(mode, asked)
  const { rows } = await sql<{ count: number }>`${count}`.execute(db)
  return rows[0]?.count ?? 0
}
