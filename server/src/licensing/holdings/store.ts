import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { Features } from '../../db/tables.ts'
import { usableAt } from '../periods/store.ts'

/** An application that asks for no subscription, and the type that everybody holds there. */
export interface FreeOffer {
  applicationId: string
  applicationName: string
  applicationSlug: string
  licenseTypeId: string
  slug: string
  name: string
  description: string | null
  features: Features
}

/** What everybody holds without anything being bought. */
export async function listFreeOffers(db: Db): Promise<FreeOffer[]> {
  const { rows } = await sql<FreeOffer>`
    select applications.id as "applicationId", applications.name as "applicationName",
      applications.slug as "applicationSlug", given.id as "licenseTypeId", given.slug, given.name,
      given.description, given.features
    from applications cross join lateral (
      select id, slug, name, description, features from license_types
      where license_types.application_id = applications.id and status = 'ACTIVE'
      order by display_order, created_at, id limit 1
    ) as given
    where applications.licensing_mode = 'FREE'
  `.execute(db)
  return rows
}

/** The seats of all subscriptions that are good at a moment. */
export async function sumSeats(db: Db, now: Date): Promise<{ purchased: number; assigned: number }> {
  const { rows } = await sql<{ purchased: string; assigned: string }>`
    select coalesce(sum(quantity_purchased), 0) as purchased, coalesce(sum(quantity_assigned), 0) as assigned
    from subscriptions where ${usableAt(now)}
  `.execute(db)
  return { purchased: Number(rows[0]?.purchased ?? 0), assigned: Number(rows[0]?.assigned ?? 0) }
}
