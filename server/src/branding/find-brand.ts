import type { Ctx } from '../context.ts'
import { type Language, matchLanguage } from '../languages/languages.ts'
import { isSlug } from '../lib/names.ts'
import { isCleanText } from '../lib/text.ts'
import type { Brand } from '../ui/brand.ts'
import { LOGO_PATH } from './service.ts'
import { type BrandRow, findBrandRow, isActiveMember, type StoredBrand } from './store.ts'

/** What a login transaction leads to: the application of a client, a tenant, or both. */
export interface Destination {
  clientId?: string | undefined
  /** The slug of the tenant. */
  tenant?: string | undefined
  /** The signed-in user who sees the page. */
  viewerId?: string | undefined
}

const MAX_CLIENT_ID_LENGTH = 100

/** The brand that hosted pages show for a destination; undefined for the default look. */
export async function findBrand(ctx: Ctx, destination: Destination): Promise<Brand | undefined> {
  const row = await findCachedRow(ctx, parseDestination(destination))
  return row && toBrand(await chooseBrand(ctx, row, destination.viewerId))
}

/** The default language of the tenant of a destination, from the same row as its brand. */
export async function findDefaultLanguage(ctx: Ctx, destination: Destination): Promise<Language | undefined> {
  const valid = parseDestination(destination)
  const row = valid.tenant === undefined ? undefined : await findCachedRow(ctx, valid)
  return row && matchLanguage([row.language ?? ''])
}

/**
 * The row is cached until one of its sources changes. A destination that does not exist is not cached, so that unknown
 * ids cannot fill the cache.
 */
async function findCachedRow(ctx: Ctx, valid: ValidDestination): Promise<BrandRow | undefined> {
  if (valid.clientId === undefined && valid.tenant === undefined) return undefined
  const loaded: { row?: BrandRow | undefined } = {}
  const cached = await ctx.cache.getOrLoad(`brand:${valid.tenant ?? ''}:${valid.clientId ?? ''}`, async () => {
    loaded.row = await findBrandRow(ctx.db, valid)
    return loaded.row && exists(valid, loaded.row)
      ? { value: loaded.row, subjects: listSubjects(loaded.row) }
      : undefined
  })
  return cached ?? loaded.row
}

/**
 * The brand of the tenant takes precedence over that of the application. Anyone can create a tenant with any name, so
 * an unapproved brand could be used for phishing: only active members of the tenant see it.
 */
async function chooseBrand(
  { db }: Ctx,
  { ofApplication, ofTenant, isApproved, tenantId }: BrandRow,
  viewerId: string | undefined,
): Promise<StoredBrand | null> {
  if (ofTenant === null || isApproved) return ofTenant ?? ofApplication
  const isMember =
    tenantId !== null && viewerId !== undefined && (await isActiveMember(db, { tenantId, userId: viewerId }))
  return isMember ? ofTenant : ofApplication
}

/** Drops invalid client ids and slugs, which need no query. */
const parseDestination = ({ clientId, tenant }: Destination) => ({
  clientId: clientId && clientId.length <= MAX_CLIENT_ID_LENGTH && isCleanText(clientId) ? clientId : undefined,
  tenant: tenant !== undefined && isSlug(tenant) ? tenant : undefined,
})

type ValidDestination = ReturnType<typeof parseDestination>

const exists = ({ clientId, tenant }: Destination, row: BrandRow): boolean =>
  (clientId === undefined || row.clientId !== null) && (tenant === undefined || row.tenantId !== null)

/** The changes that invalidate the cached row. */
const listSubjects = ({ clientId, applicationId, tenantId }: BrandRow): string[] => [
  ...(clientId === null ? [] : [`client:${clientId}`]),
  ...(applicationId === null ? [] : [`application:${applicationId}`, `branding:${applicationId}`]),
  ...(tenantId === null ? [] : [`tenant:${tenantId}`, `branding:${tenantId}`]),
]

function toBrand(brand: StoredBrand | null): Brand | undefined {
  if (brand === null) return undefined
  const { name, color, theme, logoHash, logoWidth: width, logoHeight: height } = brand
  const hasLogo = logoHash !== null && width !== null && height !== null
  return {
    name,
    color: color ?? undefined,
    theme: theme ?? undefined,
    logo: hasLogo ? { path: `${LOGO_PATH}/${logoHash}`, width, height } : undefined,
  }
}
