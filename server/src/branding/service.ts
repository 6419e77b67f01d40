import { createHash } from 'node:crypto'
import { findChanges } from '../audit/changes.ts'
import { type AuditSource, recordAuditEvent } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Db, Tx } from '../db/open.ts'
import type { BrandingBody } from './branding-body.ts'
import {
  type BrandSettings,
  type BrandSettingsInput,
  type Logo,
  NO_BRAND_SETTINGS,
  parseBrandSettings,
  parseLogo,
  requireReadableColor,
} from './rules.ts'
import {
  type Branding,
  type BrandingColumns,
  deleteBranding,
  findBranding,
  listBrandSettings,
  type Owner,
  upsertBranding,
} from './store.ts'

/** Branding: the name, the color and the logo that hosted pages show for an application or for a tenant. */

export type { Owner }

export const LOGO_PATH = '/branding'

/** The path of the logo with this hash. */
export const toLogoUrl = (hash: string | null | undefined): string | null => (hash ? `${LOGO_PATH}/${hash}` : null)

export const getBranding = async (db: Db, owner: Owner): Promise<BrandingBody> => toBody(await findBranding(db, owner))

const toBody = (branding: Branding | undefined): BrandingBody => ({
  displayName: branding?.display_name ?? null,
  color: branding?.color ?? null,
  theme: branding?.theme ?? null,
  logoUrl: toLogoUrl(branding?.logo_hash),
  updatedAt: branding?.updated_at.toISOString() ?? null,
})

/** A branding that replaces the current one. */
export interface BrandingInput extends BrandSettingsInput {
  /** As a data: URL. Undefined keeps the current logo, null removes it. */
  logo?: string | null | undefined
}

/** Replaces a branding. The caller must have locked the row of the owner. An empty branding is deleted. */
export async function setBranding(
  ctx: Ctx,
  tx: Tx,
  { owner, input, source }: { owner: Owner; input: BrandingInput; source: AuditSource },
): Promise<BrandingBody> {
  const settings = parseBrandSettings(input)
  const logo = typeof input.logo === 'string' ? parseLogo(input.logo) : input.logo
  const before = await findBranding(tx, owner)
  // A color from before the rule can stay.
  if (settings.color !== null && settings.color !== before?.color) requireReadableColor(settings.color)
  const columns = toColumns(settings, logo)
  const logoHash = columns.logo_hash === undefined ? (before?.logo_hash ?? null) : columns.logo_hash
  const changes = findChanges<Record<string, unknown>>(toAuditState(before), { ...settings, logo: logoHash })
  if (!changes) return toBody(before)
  await recordBrandingChange(ctx, tx, { owner, changes, source })
  const isEmpty = Object.values(settings).every((value) => value === null) && logoHash === null
  if (isEmpty) await deleteBranding(tx, owner)
  else await upsertBranding(tx, owner, { ...columns, updated_at: ctx.now() })
  return getBranding(tx, owner)
}

export async function removeBranding(
  ctx: Ctx,
  tx: Tx,
  { owner, source }: { owner: Owner; source: AuditSource },
): Promise<void> {
  await setBranding(ctx, tx, { owner, input: { logo: null }, source })
}

/** The state in an audit event. The logo is represented by its hash. */
const toAuditState = (branding: Branding | undefined) => ({
  displayName: branding?.display_name ?? null,
  color: branding?.color ?? null,
  theme: branding?.theme ?? null,
  logo: branding?.logo_hash ?? null,
})

function toColumns(
  { displayName, color, theme }: BrandSettings,
  logo: Logo | null | undefined,
): Partial<BrandingColumns> {
  const settings = { display_name: displayName, color, theme }
  if (logo === undefined) return settings
  return {
    ...settings,
    logo: logo?.bytes ?? null,
    logo_type: logo?.type ?? null,
    // The hash is also the URL of the logo, which cannot be guessed without the image.
    logo_hash: logo ? createHash('sha256').update(logo.bytes).digest('hex') : null,
    logo_width: logo?.width ?? null,
    logo_height: logo?.height ?? null,
  }
}

interface BrandingChange {
  owner: Owner
  changes: { before: object; after: object }
  source: AuditSource
}

const recordBrandingChange = (ctx: Ctx, tx: Tx, { owner, changes, source }: BrandingChange): Promise<void> =>
  'tenantId' in owner
    ? recordAuditEvent(ctx, tx, {
        action: 'tenant.branding_changed',
        ...source,
        ...owner,
        details: { ...changes },
      })
    : recordAuditEvent(ctx, tx, {
        action: 'application.branding_changed',
        ...source,
        details: { ...owner, ...changes },
      })

/** Loads the names and colors of these applications. Returns a lookup by id. */
export async function loadBrandSettings(
  db: Db,
  applicationIds: string[],
): Promise<(applicationId: string) => BrandSettings> {
  const rows = await listBrandSettings(db, applicationIds)
  const byId = new Map<string, BrandSettings>(
    rows.map(({ applicationId, ...settings }) => [applicationId ?? '', settings] as const),
  )
  return (applicationId) => byId.get(applicationId) ?? NO_BRAND_SETTINGS
}
