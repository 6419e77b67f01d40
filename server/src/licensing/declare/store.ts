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

/** What a declaration may name: applications by slug, and their licence types by both slugs. */
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

/** What of a subscription may be declared. */
export interface KnownSubscription {
  quantityPurchased: number
  status: SubscriptionStatus
  currentPeriodEnd: Date | null
}

/** Who has a seat of an application, and of which subscription. */
export interface Holder {
  email: string
  subscription: string
}

/** What there is, by the names a declaration calls it: subscriptions, and who in a tenant holds what of an application. */
export async function listDeclaredSubscriptions(
  db: Db,
  tenants: string[],
): Promise<{ subscriptions: Map<string, KnownSubscription>; holders: Map<string, Holder[]> }> {
  const bought = await sql<KnownSubscription & { key: string }>`
    select ${NAME} as key, subscriptions.quantity_purchased as "quantityPurchased", subscriptions.status,
      subscriptions.current_period_end as "currentPeriodEnd"
    from subscriptions ${NAMED} where tenants.slug = any(${tenants})
  `.execute(db)
  const held = await sql<Holder & { key: string }>`
    select tenants.slug || ' ' || applications.slug as key, users.email, ${NAME} as subscription
    from seats join subscriptions on subscriptions.id = seats.subscription_id ${NAMED}
    join users on users.id = seats.user_id
    where tenants.slug = any(${tenants})
  `.execute(db)
  return {
    subscriptions: new Map(bought.rows.map(({ key, ...subscription }) => [key, subscription])),
    holders: groupBy(held.rows, ({ key }) => key),
  }
}

const NAME = sql<string>`tenants.slug || ' ' || applications.slug || '/' || license_types.slug`
const NAMED = sql`
  join tenants on tenants.id = subscriptions.tenant_id
  join license_types on license_types.id = subscriptions.license_type_id
  join applications on applications.id = subscriptions.application_id`

export interface Named {
  tenantId: string
  applicationId: string
  licenseTypeId: string
  subscriptionId: string | null
}

/** Nobody else changes the tenant until the transaction ends. */
export async function findTypeNamed(
  tx: Tx,
  { tenant, application, licenseType }: { tenant: string; application: string; licenseType: string },
): Promise<Named | undefined> {
  const { rows } = await sql<Named>`
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

/** A thing that is to go, and how much goes with it. */
interface Leaving {
  id: string
  name: string
  subscriptions?: number
  seats: number
}

export async function listLeavingTypes(db: Db, names: string[]): Promise<Leaving[]> {
  const { rows } = await sql<Leaving>`
    select license_types.id, applications.slug || '/' || license_types.slug as name,
      (select count(*)::int from subscriptions where license_type_id = license_types.id) as subscriptions,
      (select count(*)::int from seats where license_type_id = license_types.id) as seats
    from license_types join applications on applications.id = license_types.application_id
    where applications.slug || '/' || license_types.slug = any(${names})
    order by (applications.slug || '/' || license_types.slug) collate "C"
  `.execute(db)
  return rows
}

export async function listLeavingSubscriptions(db: Db, names: string[]): Promise<Leaving[]> {
  const { rows } = await sql<Leaving>`
    select subscriptions.id, ${NAME} as name,
      (select count(*)::int from seats where subscription_id = subscriptions.id) as seats
    from subscriptions ${NAMED} where ${NAME} = any(${names}) order by (${NAME}) collate "C"
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
    from subscriptions ${NAMED}
  `.execute(db)
  return rows
}
