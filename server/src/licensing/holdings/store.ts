import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { Features } from '../../db/tables.ts'
import { isUsableAt } from '../periods-store.ts'

/** A FREE application, and the license type that every member holds there. */
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

export async function listFreeOffers(db: Db): Promise<FreeOffer[]> {
  const { rows } = await sql<FreeOffer>`
    select applications.id as "applicationId", applications.name as "applicationName",
      applications.slug as "applicationSlug", free_type.id as "licenseTypeId", free_type.slug, free_type.name,
      free_type.description, free_type.features
    from applications cross join lateral (
      select id, slug, name, description, features from license_types
      where license_types.application_id = applications.id and status = 'ACTIVE'
      order by display_order, created_at, id limit 1
    ) as free_type
    where applications.licensing_mode = 'FREE'
  `.execute(db)
  return rows
}

/** Sums the seats of all usable subscriptions. */
export async function sumInstanceSeats(db: Db, now: Date): Promise<{ purchased: number; assigned: number }> {
  const { rows } = await sql<{ purchased: string; assigned: string }>`
    select coalesce(sum(quantity_purchased), 0) as purchased, coalesce(sum(quantity_assigned), 0) as assigned
    from subscriptions where ${isUsableAt(now)}
  `.execute(db)
  return { purchased: Number(rows[0]?.purchased ?? 0), assigned: Number(rows[0]?.assigned ?? 0) }
}
