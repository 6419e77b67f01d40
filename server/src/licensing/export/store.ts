import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { Features } from '../../db/tables.ts'
import type { Entry } from '../../declaration/section.ts'

/** Licence types as they would be declared, by the slugs of application and type. */
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

const PAGE = 500

interface Row {
  id: string
  tenant: string
  application: string
  licenseType: string
  quantityPurchased: number
  status: string
  currentPeriodEnd: Date | null
  perSeat: boolean
}

/** Subscriptions as they would be declared, by tenant, application and type, some at a time. */
export async function* exportSubscriptions(db: Db): AsyncGenerator<Entry> {
  for (let offset = 0; ; offset += PAGE) {
    const { rows } = await sql<Row>`
      select subscriptions.id, tenants.slug as tenant, applications.slug as application,
        license_types.slug as "licenseType", quantity_purchased as "quantityPurchased", subscriptions.status,
        current_period_end as "currentPeriodEnd", applications.licensing_mode = 'PER_SEAT' as "perSeat"
      from subscriptions
      join tenants on tenants.id = subscriptions.tenant_id
      join license_types on license_types.id = subscriptions.license_type_id
      join applications on applications.id = subscriptions.application_id
      order by tenants.slug collate "C", applications.slug collate "C", license_types.slug collate "C"
      offset ${offset} limit ${PAGE}
    `.execute(db)
    for (const { id, perSeat, currentPeriodEnd, ...subscription } of rows) {
      yield {
        ...subscription,
        currentPeriodEnd: currentPeriodEnd?.toISOString() ?? null,
        seats: perSeat ? await listHolders(db, id, subscription.quantityPurchased) : [],
      }
    }
    if (rows.length < PAGE) return
  }
}

/**
 * Who holds a seat. Where there are more holders than seats were bought, which is borne with after a renewal, those who
 * came first.
 */
async function listHolders(db: Db, subscriptionId: string, most: number): Promise<string[]> {
  const { rows } = await sql<{ email: string }>`
    select email from (
      select users.email from seats join users on users.id = seats.user_id
      where seats.subscription_id = ${subscriptionId} and seats.status = 'ASSIGNED' and users.email_verified
      order by seats.assigned_at, seats.id limit ${most}
    ) as holders order by email collate "C"
  `.execute(db)
  return rows.map(({ email }) => email)
}
