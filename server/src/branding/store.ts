import { sql } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { BrandingsTable, LogoType, Theme } from '../db/tables.ts'

/** The application or the tenant that the branding belongs to. */
export type Owner = { applicationId: string } | { tenantId: string }

const columnOf = (owner: Owner) => ('tenantId' in owner ? 'tenant_id' : 'application_id')
const idOf = (owner: Owner) => ('tenantId' in owner ? owner.tenantId : owner.applicationId)

/** Without the bytes of the logo. */
const BRANDING_COLUMNS = ['display_name', 'color', 'theme', 'logo_hash', 'updated_at'] as const

export type Branding = Pick<BrandingsTable, (typeof BRANDING_COLUMNS)[number]>

export const findBranding = (db: Db, owner: Owner): Promise<Branding | undefined> =>
  db.selectFrom('brandings').select(BRANDING_COLUMNS).where(columnOf(owner), '=', idOf(owner)).executeTakeFirst()

/** Locks the row until the transaction ends. False if there is no such application or it is built in. */
export const lockApplication = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx
    .selectFrom('applications')
    .select('id')
    .where('id', '=', id)
    .where('built_in', '=', false)
    .forNoKeyUpdate()
    .executeTakeFirst()) !== undefined

/** False for built-in applications too. */
export const applicationExists = async (db: Db, id: string): Promise<boolean> =>
  (await db
    .selectFrom('applications')
    .select('id')
    .where('id', '=', id)
    .where('built_in', '=', false)
    .executeTakeFirst()) !== undefined

export type BrandingColumns = Omit<BrandingsTable, 'owner_id' | 'application_id' | 'tenant_id'>

/** Omitted columns keep their values. */
export async function upsertBranding(
  tx: Tx,
  owner: Owner,
  columns: Partial<BrandingColumns> & { updated_at: Date },
): Promise<void> {
  const column = columnOf(owner)
  await tx
    .insertInto('brandings')
    .values({ [column]: idOf(owner), ...columns })
    .onConflict((conflict) => conflict.column(column).doUpdateSet(columns))
    .execute()
}

export async function deleteBranding(tx: Tx, owner: Owner): Promise<void> {
  await tx.deleteFrom('brandings').where(columnOf(owner), '=', idOf(owner)).execute()
}

/** The same logo may belong to several owners. */
export const findLogo = (db: Db, hash: string): Promise<{ logo: Buffer; type: LogoType } | undefined> =>
  db
    .selectFrom('brandings')
    .select(['logo', 'logo_type as type'])
    .where('logo_hash', '=', hash)
    .limit(1)
    .$narrowType<{ logo: Buffer; type: LogoType }>()
    .executeTakeFirst()

export interface StoredBrand {
  name: string
  color: string | null
  theme: Theme | null
  logoHash: string | null
  logoWidth: number | null
  logoHeight: number | null
}

export interface BrandRow {
  /**
   * Primary keys: this is clients.id, not the OAuth client_id. Null when the client or the tenant does not exist or was
   * not requested.
   */
  clientId: string | null
  applicationId: string | null
  tenantId: string | null
  /** Null when there is no branding. A suspended tenant has none. */
  ofApplication: StoredBrand | null
  ofTenant: StoredBrand | null
  /** Whether an operator has approved the branding of the tenant. */
  isApproved: boolean | null
  /** The default language of the tenant. */
  language: string | null
}

/** The brands of a tenant and of a client's application. */
export async function findBrandRow(
  db: Db,
  { clientId, tenant }: { clientId: string | undefined; tenant: string | undefined },
): Promise<BrandRow | undefined> {
  const { rows } = await sql<BrandRow>`
    select clients.id as "clientId", applications.id as "applicationId", tenants.id as "tenantId",
      (
        select ${brandJson('applications.name')} from brandings where application_id = applications.id
      ) as "ofApplication",
      (
        select ${brandJson('tenants.name')} from brandings
        where tenant_id = tenants.id and tenants.suspended_at is null
      ) as "ofTenant",
      tenants.branding_approved as "isApproved", tenants.language
    from (values (${clientId ?? null}::text, ${tenant ?? null}::text)) as requested (client_id, slug)
    left join clients on clients.client_id = requested.client_id
    left join applications on applications.id = clients.application_id
    left join tenants on tenants.slug = requested.slug
  `.execute(db)
  return rows[0]
}

/** The name of the owner is the default for the display name. */
const brandJson = (name: 'applications.name' | 'tenants.name') => sql`jsonb_build_object(
  'name', coalesce(brandings.display_name, ${sql.ref(name)}), 'color', brandings.color, 'theme', brandings.theme,
  'logoHash', brandings.logo_hash, 'logoWidth', brandings.logo_width, 'logoHeight', brandings.logo_height
)`

export const isActiveMember = async (
  db: Db,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<boolean> =>
  (await db
    .selectFrom('memberships')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('status', '=', 'ACTIVE')
    .executeTakeFirst()) !== undefined

export const listBrandSettings = (db: Db, applicationIds: string[]) =>
  applicationIds.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('brandings')
        .select(['application_id as applicationId', 'display_name as displayName', 'color', 'theme'])
        .where('application_id', 'in', applicationIds)
        .execute()
