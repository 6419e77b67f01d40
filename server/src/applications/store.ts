import { type Insertable, sql } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { ApplicationsTable, LicensingMode } from '../db/tables.ts'
import type { Range } from '../http/pagination.ts'

export interface Application {
  id: string
  slug: string
  name: string
  trusted: boolean
  licensingMode: LicensingMode
  accessTokenTtl: number | null
  idTokenTtl: number | null
  refreshTokenIdleTtl: number | null
  refreshTokenTtl: number | null
  createdAt: Date
  updatedAt: Date
}

const APPLICATION_COLUMNS = [
  'id',
  'slug',
  'name',
  'trusted',
  'licensing_mode as licensingMode',
  'access_token_ttl as accessTokenTtl',
  'id_token_ttl as idTokenTtl',
  'refresh_token_idle_ttl as refreshTokenIdleTtl',
  'refresh_token_ttl as refreshTokenTtl',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const

const selectApplications = (db: Db) => db.selectFrom('applications').select(APPLICATION_COLUMNS)

export const findApplication = (db: Db, id: string): Promise<Application | undefined> =>
  selectApplications(db).where('id', '=', id).executeTakeFirst()

export const findApplicationBySlug = (db: Db, slug: string): Promise<Application | undefined> =>
  selectApplications(db).where('slug', '=', slug).executeTakeFirst()

export const listApplicationsBySlug = (db: Db, slugs: string[]): Promise<Application[]> =>
  slugs.length === 0 ? Promise.resolve([]) : selectApplications(db).where('slug', 'in', slugs).execute()

export const listApplications = (db: Db, { offset, limit }: Range): Promise<Application[]> =>
  selectApplications(db).orderBy('created_at').orderBy('id').offset(offset).limit(limit).execute()

export async function countApplications(db: Db): Promise<number> {
  const count = sql<number>`count(*)::int`.as('total')
  return (await db.selectFrom('applications').select(count).executeTakeFirstOrThrow()).total
}

/** Undefined when the slug is taken. */
export const insertApplication = (
  tx: Tx,
  application: Insertable<ApplicationsTable>,
): Promise<Application | undefined> =>
  tx
    .insertInto('applications')
    .values(application)
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning(APPLICATION_COLUMNS)
    .executeTakeFirst()

export type ApplicationChange = Partial<Omit<Application, 'id' | 'createdAt'>>

/** The unique constraint that an update of the slug can break. */
export const SLUG_CONSTRAINT = 'applications_slug_key'

export const updateApplication = (
  db: Db,
  id: string,
  change: ApplicationChange,
): Promise<Application | undefined> =>
  db
    .updateTable('applications')
    .set({
      slug: change.slug,
      name: change.name,
      trusted: change.trusted,
      licensing_mode: change.licensingMode,
      access_token_ttl: change.accessTokenTtl,
      id_token_ttl: change.idTokenTtl,
      refresh_token_idle_ttl: change.refreshTokenIdleTtl,
      refresh_token_ttl: change.refreshTokenTtl,
      updated_at: change.updatedAt,
    })
    .where('id', '=', id)
    .returning(APPLICATION_COLUMNS)
    .executeTakeFirst()

export async function deleteApplication(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('applications')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
