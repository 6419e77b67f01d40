import { sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { Features, LicenseTypeStatus, SubscriptionStatus } from '../../db/tables.ts'
import type { Entry } from '../../declaration/section.ts'
import { groupBy } from '../../lib/group-by.ts'

export interface DeclaredTypeRow {
  id: string
  name: string
  description: string | null
  features: Features
  displayOrder: number
  status: LicenseTypeStatus
}

/** Lists what a declaration can refer to: applications by slug, and license types by `application/type`. */
export async function listDeclaredTypes(
  db: Db,
): Promise<{ applications: Map<string, string>; types: Map<string, DeclaredTypeRow> }> {
  const applications = await db
    .selectFrom('applications')
    .select(['id', 'slug'])
    .where('built_in', '=', false)
    .execute()
  const types = await db
    .selectFrom('license_types')
    .innerJoin('applications', 'applications.id', 'license_types.application_id')
    .select(['applications.slug as application', 'license_types.slug', 'license_types.id'])
    .select(['license_types.name', 'description', 'features', 'display_order as displayOrder'])
    .select('license_types.status')
    .execute()
  return {
    applications: new Map(applications.map(({ slug, id }) => [slug, id])),
    types: new Map(types.map(({ application, slug, ...type }) => [`${application}/${slug}`, type])),
  }
}

/** The fields of a subscription that a declaration can set. */
export interface DeclaredSubscriptionRow {
  quantityPurchased: number
  status: SubscriptionStatus
  currentPeriodEnd: Date | null
}

export interface SeatHolder {
  email: string
  subscription: string
}

/** Lists subscriptions by `tenant application/type`, and seat holders by `tenant application`. */
export async function listDeclaredSubscriptions(
  db: Db,
  tenants: string[],
): Promise<{ subscriptions: Map<string, DeclaredSubscriptionRow>; holders: Map<string, SeatHolder[]> }> {
  const subscriptions = await sql<DeclaredSubscriptionRow & { key: string }>`
    select ${SUBSCRIPTION_NAME} as key, subscriptions.quantity_purchased as "quantityPurchased", subscriptions.status,
      subscriptions.current_period_end as "currentPeriodEnd"
    from subscriptions ${JOIN_NAMES} where tenants.slug = any(${tenants})
  `.execute(db)
  const holders = await sql<SeatHolder & { key: string }>`
    select tenants.slug || ' ' || applications.slug as key, users.email, ${SUBSCRIPTION_NAME} as subscription
    from seats join subscriptions on subscriptions.id = seats.subscription_id ${JOIN_NAMES}
    join users on users.id = seats.user_id
    where tenants.slug = any(${tenants})
  `.execute(db)
  return {
    subscriptions: new Map(subscriptions.rows.map(({ key, ...subscription }) => [key, subscription])),
    holders: groupBy(holders.rows, ({ key }) => key),
  }
}

const SUBSCRIPTION_NAME = sql<string>`tenants.slug || ' ' || applications.slug || '/' || license_types.slug`
const JOIN_NAMES = sql`
  join tenants on tenants.id = subscriptions.tenant_id
  join license_types on license_types.id = subscriptions.license_type_id
  join applications on applications.id = subscriptions.application_id`

export interface SubscriptionIds {
  tenantId: string
  applicationId: string
  licenseTypeId: string
  subscriptionId: string | null
}

/** Resolves slugs to ids, and locks the tenant until the transaction ends. */
export async function lockTenantAndFindIds(
  tx: Tx,
  { tenant, application, licenseType }: { tenant: string; application: string; licenseType: string },
): Promise<SubscriptionIds | undefined> {
  const { rows } = await sql<SubscriptionIds>`
    select tenants.id as "tenantId", applications.id as "applicationId", license_types.id as "licenseTypeId",
      subscriptions.id as "subscriptionId"
    from tenants
    join applications on applications.slug = ${application}
    join license_types on license_types.application_id = applications.id and license_types.slug = ${licenseType}
    left join subscriptions
      on subscriptions.tenant_id = tenants.id and subscriptions.license_type_id = license_types.id
    where tenants.slug = ${tenant}
    for no key update of tenants
  `.execute(tx)
  return rows[0]
}

export async function findMemberId(
  db: Db,
  { tenantId, email }: { tenantId: string; email: string },
): Promise<string | undefined> {
  const member = await db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.id')
    .where('memberships.tenant_id', '=', tenantId)
    .where('users.email', '=', email)
    .executeTakeFirst()
  return member?.id
}

/** A row to delete, with the number of rows deleted with it. */
interface Removal {
  id: string
  name: string
  subscriptions?: number
  seats: number
}

export async function listTypeRemovals(db: Db, names: string[]): Promise<Removal[]> {
  const { rows } = await sql<Removal>`
    select license_types.id, applications.slug || '/' || license_types.slug as name,
      (select count(*)::int from subscriptions where license_type_id = license_types.id) as subscriptions,
      (select count(*)::int from seats where license_type_id = license_types.id) as seats
    from license_types join applications on applications.id = license_types.application_id
    where applications.slug || '/' || license_types.slug = any(${names})
    order by (applications.slug || '/' || license_types.slug) collate "C"
  `.execute(db)
  return rows
}

export async function listSubscriptionRemovals(db: Db, names: string[]): Promise<Removal[]> {
  const { rows } = await sql<Removal>`
    select subscriptions.id, ${SUBSCRIPTION_NAME} as name,
      (select count(*)::int from seats where subscription_id = subscriptions.id) as seats
    from subscriptions ${JOIN_NAMES} where ${SUBSCRIPTION_NAME} = any(${names})
    order by (${SUBSCRIPTION_NAME}) collate "C"
  `.execute(db)
  return rows
}

export async function listTypeKeys(db: Db): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    select applications.slug as application, license_types.slug
    from license_types join applications on applications.id = license_types.application_id
  `.execute(db)
  return rows
}

export async function listSubscriptionKeys(db: Db): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    select tenants.slug as tenant, applications.slug as application, license_types.slug as "licenseType"
    from subscriptions ${JOIN_NAMES}
  `.execute(db)
  return rows
}
