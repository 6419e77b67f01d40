import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { Entry } from '../../declaration/section.ts'

/** Not those of clients that no administrator registered. */
export const listApplicationKeys = (db: Db): Promise<Entry[]> =>
  db
    .selectFrom('applications')
    .select('slug')
    .where('built_in', '=', false)
    .where(sql<boolean>`not exists (select from clients where application_id = applications.id and origin <> 'ADMIN')`)
    .orderBy(sql`slug collate "C"`)
    .execute()

export const listClientKeys = (db: Db): Promise<Entry[]> =>
  db
    .selectFrom('clients')
    .innerJoin('applications', 'applications.id', 'clients.application_id')
    .select('client_id as clientId')
    .where('built_in', '=', false)
    .where('clients.origin', '=', 'ADMIN')
    .orderBy(sql`client_id collate "C"`)
    .execute()

export const listResourceKeys = (db: Db): Promise<Entry[]> =>
  db.selectFrom('resources').select('uri').orderBy(sql`uri collate "C"`).execute()

/** An application and the number of objects that are deleted with it. */
export interface ApplicationDeletion {
  id: string
  slug: string
  clients: number
  resources: number
  licenseTypes: number
  subscriptions: number
  seats: number
}

export async function listApplicationDeletions(db: Db, slugs: string[]): Promise<ApplicationDeletion[]> {
  const { rows } = await sql<ApplicationDeletion>`
    select id, slug,
      (select count(*)::int from clients where application_id = applications.id) as clients,
      (select count(*)::int from resources where application_id = applications.id) as resources,
      (select count(*)::int from license_types where application_id = applications.id) as "licenseTypes",
      (select count(*)::int from subscriptions where application_id = applications.id) as subscriptions,
      (select count(*)::int from seats where application_id = applications.id) as seats
    from applications where slug = any(${slugs}) and not built_in order by slug
  `.execute(db)
  return rows
}
