import { sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { Features, LicenseTypeStatus } from '../../db/tables.ts'

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
  const applications = await db.selectFrom('applications').select(['id', 'slug']).execute()
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

/** What there is, by the names a declaration calls it: seats bought, and who in a tenant holds any of an application. */
export async function listDeclaredSubscriptions(
  db: Db,
  tenants: string[],
): Promise<{ subscriptions: Map<string, number>; holders: Map<string, string[]> }> {
  const bought = await sql<{ key: string; quantity: number }>`
    select tenants.slug || ' ' || applications.slug || '/' || license_types.slug as key,
      subscriptions.quantity_purchased as quantity
    from subscriptions
    join tenants on tenants.id = subscriptions.tenant_id
    join license_types on license_types.id = subscriptions.license_type_id
    join applications on applications.id = subscriptions.application_id
    where tenants.slug = any(${tenants})
  `.execute(db)
  const held = await sql<{ key: string; emails: string[] }>`
    select tenants.slug || ' ' || applications.slug as key, array_agg(users.email) as emails
    from seats
    join tenants on tenants.id = seats.tenant_id
    join applications on applications.id = seats.application_id
    join users on users.id = seats.user_id
    where tenants.slug = any(${tenants})
    group by key
  `.execute(db)
  return {
    subscriptions: new Map(bought.rows.map(({ key, quantity }) => [key, quantity])),
    holders: new Map(held.rows.map(({ key, emails }) => [key, emails])),
  }
}

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
