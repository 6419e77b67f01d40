import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/open.ts'
import type { SeedBody } from './schema.ts'

/** A name and an id of every stored object of one section. */
const NAMED: Record<keyof SeedBody, RawBuilder<unknown>> = {
  users: sql`select email as name, id from users`,
  tenants: sql`select slug as name, id from tenants`,
  applications: sql`select slug as name, id from applications`,
  clients: sql`select client_id as name, id from clients`,
  licenseTypes: sql`
    select applications.slug || '/' || license_types.slug as name, license_types.id
    from license_types join applications on applications.id = application_id`,
  subscriptions: sql`
    select tenants.slug || '/' || applications.slug || '/' || license_types.slug as name, subscriptions.id
    from subscriptions
    join tenants on tenants.id = tenant_id
    join license_types on license_types.id = license_type_id
    join applications on applications.id = license_types.application_id`,
}

/** The ids of the named objects, by their names. */
export async function findIds(db: Db, section: keyof SeedBody, names: string[]): Promise<Record<string, string>> {
  if (names.length === 0) return {}
  const { rows } = await sql<{ name: string; id: string }>`
    select name, id from (${NAMED[section]}) as named where name = any(${names})`.execute(db)
  return Object.fromEntries(rows.map(({ name, id }) => [name, id]))
}
