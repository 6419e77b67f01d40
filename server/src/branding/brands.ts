import type { Ctx } from '../context.ts'
import { isSlug } from '../lib/names.ts'
import { isCleanText } from '../lib/text.ts'
import type { Brand } from '../ui/brand.ts'
import { LOGO_PATH } from './service.ts'
import { type BrandRow, findBrandRow, isActiveMember, type StoredBrand } from './store.ts'

/** Where somebody is going: to the application of a client, to a tenant, or to both. */
export interface Destination {
  clientId?: string | undefined
  /** The slug of the tenant. */
  tenant?: string | undefined
  /** Whoever sees the page, once they are signed in. */
  viewerId?: string | undefined
}

const LONGEST_CLIENT_ID = 100

/**
 * What the pages on the way there show; undefined: our own name. It is read once and remembered until something it
 * comes from changes. Who names what is not there has it looked for each time, and fills no memory.
 */
export async function findBrand(ctx: Ctx, destination: Destination): Promise<Brand | undefined> {
  const asked = readDestination(destination)
  if (asked.clientId === undefined && asked.tenant === undefined) return undefined
  const looked: { row?: BrandRow | undefined } = {}
  const known = await ctx.memory.recall(`brand:${asked.tenant ?? ''}:${asked.clientId ?? ''}`, async () => {
    looked.row = await findBrandRow(ctx.db, asked)
    return looked.row && isThere(asked, looked.row)
      ? { value: looked.row, subjects: subjectsOf(looked.row) }
      : undefined
  })
  const row = known ?? looked.row
  return row && toBrand(await choose(ctx, row, destination.viewerId))
}

/**
 * The tenant's comes first, where it may be shown. Anybody may found a tenant and call it what they like, so that it
 * may not on pages where people show who they are, unless an operator has approved it; members know where they belong.
 */
async function choose(
  { db }: Ctx,
  { ofApplication, ofTenant, isApproved, tenantId }: BrandRow,
  viewerId: string | undefined,
): Promise<StoredBrand | null> {
  if (ofTenant === null || isApproved) return ofTenant ?? ofApplication
  const isTheirs =
    tenantId !== null && viewerId !== undefined && (await isActiveMember(db, { tenantId, userId: viewerId }))
  return isTheirs ? ofTenant : ofApplication
}

/** What cannot be is not looked for. */
const readDestination = ({ clientId, tenant }: Destination) => ({
  clientId: clientId && clientId.length <= LONGEST_CLIENT_ID && isCleanText(clientId) ? clientId : undefined,
  tenant: tenant !== undefined && isSlug(tenant) ? tenant : undefined,
})

const isThere = ({ clientId, tenant }: Destination, row: BrandRow): boolean =>
  (clientId === undefined || row.clientId !== null) && (tenant === undefined || row.tenantId !== null)

const subjectsOf = ({ clientId, applicationId, tenantId }: BrandRow): string[] => [
  ...(clientId === null ? [] : [`client:${clientId}`]),
  ...(applicationId === null ? [] : [`application:${applicationId}`, `branding:${applicationId}`]),
  ...(tenantId === null ? [] : [`tenant:${tenantId}`, `branding:${tenantId}`]),
]

function toBrand(brand: StoredBrand | null): Brand | undefined {
  if (brand === null) return undefined
  const { name, color, logoHash, logoWidth: width, logoHeight: height } = brand
  const isShown = logoHash !== null && width !== null && height !== null
  return {
    name,
    color: color ?? undefined,
    logo: isShown ? { path: `${LOGO_PATH}/${logoHash}`, width, height } : undefined,
  }
}
