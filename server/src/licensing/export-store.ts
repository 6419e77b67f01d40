import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import type { Features } from '../db/tables.ts'
import type { Entry } from '../declaration/section.ts'

/** Exports license types as entries of a declaration, sorted by the slugs of application and type. */
export async function* exportTypes(db: Db): AsyncGenerator<Entry> {
  const { rows } = await sql<Entry & { features: Features; description: string | null }>`
    select applications.slug as application, license_types.slug, license_types.name, description, features,
      display_order as "displayOrder", license_types.status
    from license_types join applications on applications.id = license_types.application_id
    order by applications.slug collate "C", license_types.slug collate "C"
  `.execute(db)
  for (const { description, features, ...type } of rows) {
    const sorted = Object.entries(features).toSorted(([a], [b]) => (a < b ? -1 : 1))
    yield { ...type, ...(description !== null && { description }), features: Object.fromEntries(sorted) }
  }
}

const PAGE_SIZE = 500

interface SubscriptionRow {
  id: string
  tenant: string
  application: string
  licenseType: string
  quantityPurchased: number
  status: string
  currentPeriodEnd: Date | null
  perSeat: boolean
}

/** Exports subscriptions as entries of a declaration, sorted by the slugs of tenant, application and type. */
export async function* exportSubscriptions(db: Db): AsyncGenerator<Entry> {
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const { rows } = await sql<SubscriptionRow>`
      select subscriptions.id, tenants.slug as tenant, applications.slug as application,
        license_types.slug as "licenseType", quantity_purchased as "quantityPurchased", subscriptions.status,
        current_period_end as "currentPeriodEnd", applications.licensing_mode = 'PER_SEAT' as "perSeat"
      from subscriptions
      join tenants on tenants.id = subscriptions.tenant_id
      join license_types on license_types.id = subscriptions.license_type_id
      join applications on applications.id = subscriptions.application_id
      order by tenants.slug collate "C", applications.slug collate "C", license_types.slug collate "C"
      offset ${offset} limit ${PAGE_SIZE}
    `.execute(db)
    for (const { id, perSeat, currentPeriodEnd, ...subscription } of rows) {
      yield {
        ...subscription,
        currentPeriodEnd: currentPeriodEnd?.toISOString() ?? null,
        seats: perSeat ? await listHolderEmails(db, id, subscription.quantityPurchased) : [],
      }
    }
    if (rows.length < PAGE_SIZE) return
  }
}

/** After a renewal with fewer seats there may be more holders than seats; the earliest `limit` holders are listed. */
async function listHolderEmails(db: Db, subscriptionId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ email: string }>`
    select email from (
      select users.email from seats join users on users.id = seats.user_id
      where seats.subscription_id = ${subscriptionId} and seats.status = 'ASSIGNED' and users.email_verified
      order by seats.assigned_at, seats.id limit ${limit}
    ) as holders order by email collate "C"
  `.execute(db)
  return rows.map(({ email }) => email)
}
