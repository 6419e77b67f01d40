import { type Insertable, type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import { toContainsPattern } from '../db/search.ts'
import type { ApplicationsTable, LicensingMode } from '../db/tables.ts'
import type { Range } from '../http/routing/pagination.ts'
import type { SigningAlgorithm } from '../lib/signer.ts'

export interface Application {
  id: string
  slug: string
  name: string
  trusted: boolean
  /** People may sign in with a mailed code. */
  emailCodes: boolean
  signingAlgorithm: SigningAlgorithm
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
  'email_codes as emailCodes',
  'signing_algorithm as signingAlgorithm',
  'licensing_mode as licensingMode',
  'access_token_ttl as accessTokenTtl',
  'id_token_ttl as idTokenTtl',
  'refresh_token_idle_ttl as refreshTokenIdleTtl',
  'refresh_token_ttl as refreshTokenTtl',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const

/** Without the built-in application of the console, which nobody may see or change. */
const selectRegistered = (db: Db) => db.selectFrom('applications').where('built_in', '=', false)

const selectApplications = (db: Db) => selectRegistered(db).select(APPLICATION_COLUMNS)

export const findApplication = (db: Db, id: string): Promise<Application | undefined> =>
  selectApplications(db).where('id', '=', id).executeTakeFirst()

export const findApplicationBySlug = (db: Db, slug: string): Promise<Application | undefined> =>
  selectApplications(db).where('slug', '=', slug).executeTakeFirst()

export const listApplicationsBySlug = (db: Db, slugs: string[]): Promise<Application[]> =>
  slugs.length === 0 ? Promise.resolve([]) : selectApplications(db).where('slug', 'in', slugs).execute()

/** A part of the name or the slug. */
type Search = string | undefined

const selectMatching = (db: Db, search: Search) =>
  selectRegistered(db).$if(search !== undefined, (query) => {
    const pattern = toContainsPattern(search ?? '')
    return query.where((where) => where.or([where('name', 'ilike', pattern), where('slug', 'ilike', pattern)]))
  })

const ORDERS = {
  name: sql`lower(name), id`,
  '-name': sql`lower(name) desc, id desc`,
  slug: sql`slug`,
  '-slug': sql`slug desc`,
  createdAt: sql`created_at, id`,
  '-createdAt': sql`created_at desc, id desc`,
}
export type ApplicationOrder = keyof typeof ORDERS

export const listApplications = (
  db: Db,
  { search, sort, offset, limit }: Range & { search: Search; sort: ApplicationOrder },
): Promise<Application[]> =>
  selectMatching(db, search).select(APPLICATION_COLUMNS).orderBy(ORDERS[sort]).offset(offset).limit(limit).execute()

export async function countApplications(db: Db, search: Search): Promise<number> {
  const count = sql<number>`count(*)::int`.as('total')
  return (await selectMatching(db, search).select(count).executeTakeFirstOrThrow()).total
}

/** Locks the row until the transaction ends. */
export const lockApplication = (tx: Tx, id: string): Promise<Application | undefined> =>
  selectApplications(tx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

/** Whether a client of the application has the security profile FAPI2. */
export const hasFapiClient = async (tx: Tx, applicationId: string): Promise<boolean> =>
  (await tx
    .selectFrom('clients')
    .select('id')
    .where('application_id', '=', applicationId)
    .where('security_profile', '=', 'FAPI2')
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Counts what is deleted together with the application. The lock keeps others from adding to it. */
export async function lockAndCountDependents(
  tx: Tx,
  id: string,
): Promise<{ clients: number; resources: number; licenseTypes: number } | undefined> {
  const locked = await selectRegistered(tx).select('id').where('id', '=', id).forUpdate().execute()
  if (locked.length === 0) return undefined
  const { rows } = await sql<{ clients: number; resources: number; licenseTypes: number }>`
    select (select count(*)::int from clients where application_id = ${id}) as clients,
      (select count(*)::int from resources where application_id = ${id}) as resources,
      (select count(*)::int from license_types where application_id = ${id}) as "licenseTypes"
  `.execute(tx)
  return rows[0]
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

export type ApplicationChange = Partial<Omit<Application, 'id' | 'createdAt'>> & Pick<Application, 'updatedAt'>

/** The unique constraint that an update of the slug can violate. */
export const SLUG_CONSTRAINT = 'applications_slug_key'

export const updateApplication = (tx: Tx, id: string, change: ApplicationChange): Promise<Application> =>
  tx
    .updateTable('applications')
    .set({
      slug: change.slug,
      name: change.name,
      trusted: change.trusted,
      email_codes: change.emailCodes,
      ...(change.signingAlgorithm && toAlgorithmColumns(change.signingAlgorithm, change.updatedAt)),
      licensing_mode: change.licensingMode,
      access_token_ttl: change.accessTokenTtl,
      id_token_ttl: change.idTokenTtl,
      refresh_token_idle_ttl: change.refreshTokenIdleTtl,
      refresh_token_ttl: change.refreshTokenTtl,
      updated_at: change.updatedAt,
    })
    .where('id', '=', id)
    .returning(APPLICATION_COLUMNS)
    .executeTakeFirstOrThrow()

/** Whether a key of the algorithm in this column or value is active. */
const isActive = (algorithm: RawBuilder<unknown>, now: Date) =>
  sql<boolean>`exists (
    select from token_keys where token_keys.algorithm = ${algorithm} and activates_at <= ${now}
  )`

/** While the new algorithm has no active key, the one that signs now goes on. */
const toAlgorithmColumns = (algorithm: SigningAlgorithm, now: Date) => ({
  signing_algorithm: algorithm,
  previous_signing_algorithm: sql<SigningAlgorithm | null>`
    case
      when signing_algorithm = ${algorithm} then previous_signing_algorithm
      when ${isActive(sql`${algorithm}`, now)} then null
      when ${isActive(sql`signing_algorithm`, now)} then signing_algorithm
      else previous_signing_algorithm
    end`,
})

export async function clearPreviousAlgorithms(db: Db, now: Date): Promise<void> {
  await db
    .updateTable('applications')
    .set({ previous_signing_algorithm: null })
    .where('previous_signing_algorithm', 'is not', null)
    .where(isActive(sql`signing_algorithm`, now))
    .execute()
}

export async function deleteApplication(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('applications').where('id', '=', id).execute()
}
