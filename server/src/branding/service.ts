import { createHash } from 'node:crypto'
import { findChanges } from '../audit/changes.ts'
import { record, type Source } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Db, Tx } from '../db/open.ts'
import type { BrandingBody } from './branding-body.ts'
import { type Logo, type Look, NO_LOOK, readLogo, readLook, type Wish } from './rules.ts'
import {
  type Branding,
  type Columns,
  deleteBranding,
  findBranding,
  listLooks,
  type Owner,
  putBranding,
} from './store.ts'

/** Branding: the name, the colour and the logo that hosted pages show for an application or for a tenant. */

export type { Owner }

export const LOGO_PATH = '/branding'

export const showBranding = async (db: Db, owner: Owner): Promise<BrandingBody> =>
  toBody(await findBranding(db, owner))

const toBody = (branding: Branding | undefined): BrandingBody => ({
  displayName: branding?.display_name ?? null,
  color: branding?.color ?? null,
  logoUrl: branding?.logo_hash ? `${LOGO_PATH}/${branding.logo_hash}` : null,
  updatedAt: branding?.updated_at.toISOString() ?? null,
})

/** A branding in place of the one there is. */
export interface NewBranding extends Wish {
  /** As a data: address. Undefined: the logo stays; null: it goes. */
  logo?: string | null | undefined
}

/**
 * Replaces a branding. Whoever calls holds the owner, so that of two who do it at once the second sees what the first
 * has done. Who wants nothing has none afterwards.
 */
export async function brand(
  ctx: Ctx,
  tx: Tx,
  { owner, wish, source }: { owner: Owner; wish: NewBranding; source: Source },
): Promise<BrandingBody> {
  const look = readLook(wish)
  const logo = typeof wish.logo === 'string' ? readLogo(wish.logo) : wish.logo
  const before = await findBranding(tx, owner)
  const columns = toColumns(look, logo)
  const logoHash = columns.logo_hash === undefined ? (before?.logo_hash ?? null) : columns.logo_hash
  const changes = findChanges<Record<string, unknown>>(stateOf(before), { ...look, logo: logoHash })
  if (!changes) return toBody(before)
  await note(ctx, tx, { owner, changes, source })
  if (look.displayName === null && look.color === null && logoHash === null) await deleteBranding(tx, owner)
  else await putBranding(tx, owner, { ...columns, updated_at: ctx.now() })
  return showBranding(tx, owner)
}

/** Leaves no branding. */
export async function unbrand(
  ctx: Ctx,
  tx: Tx,
  { owner, source }: { owner: Owner; source: Source },
): Promise<void> {
  await brand(ctx, tx, { owner, wish: { logo: null }, source })
}

/** What is told of it; of the logo no more than its hash. */
const stateOf = (branding: Branding | undefined) => ({
  displayName: branding?.display_name ?? null,
  color: branding?.color ?? null,
  logo: branding?.logo_hash ?? null,
})

function toColumns({ displayName, color }: Look, logo: Logo | null | undefined): Partial<Columns> {
  const look = { display_name: displayName, color }
  if (logo === undefined) return look
  return {
    ...look,
    logo: logo?.bytes ?? null,
    logo_type: logo?.type ?? null,
    // As an address nobody can guess it who has not seen the picture.
    logo_hash: logo ? createHash('sha256').update(logo.bytes).digest('hex') : null,
    logo_width: logo?.width ?? null,
    logo_height: logo?.height ?? null,
  }
}

interface Note {
  owner: Owner
  changes: { before: object; after: object }
  source: Source
}

const note = (ctx: Ctx, tx: Tx, { owner, changes, source }: Note): Promise<void> =>
  'tenantId' in owner
    ? record(ctx, tx, { action: 'tenant.branding_changed', ...source, ...owner, details: { ...changes } })
    : record(ctx, tx, {
        action: 'application.branding_changed',
        ...source,
        details: { ...owner, ...changes },
      })

/** Finds the names and colours of these applications. */
export async function looksOf(db: Db, applicationIds: string[]): Promise<(applicationId: string) => Look> {
  const looks = (await listLooks(db, applicationIds)).map(
    ({ applicationId, ...look }) => [applicationId ?? '', look] as const,
  )
  const byId = new Map<string, Look>(looks)
  return (applicationId) => byId.get(applicationId) ?? NO_LOOK
}
