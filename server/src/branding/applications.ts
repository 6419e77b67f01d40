import type { AuditSource } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { isId } from '../lib/ids.ts'
import type { BrandingBody } from './branding-body.ts'
import { type BrandingInput, getBranding, removeBranding, setBranding } from './service.ts'
import { applicationExists, lockApplication } from './store.ts'

/** The branding of applications, for operators. */

export async function getApplicationBranding(ctx: Ctx, applicationId: string): Promise<BrandingBody> {
  const exists = isId(applicationId) && (await applicationExists(ctx.db, applicationId))
  if (!exists) throw new AppError('APPLICATION_NOT_FOUND')
  return getBranding(ctx.db, { applicationId })
}

export const setApplicationBranding = (
  ctx: Ctx,
  applicationId: string,
  { input, source }: { input: BrandingInput; source: AuditSource },
): Promise<BrandingBody> =>
  inTransaction(ctx, (tx) => setApplicationBrandingInTx(ctx, tx, { applicationId, input, source }))

/** For callers that already have a transaction. */
export async function setApplicationBrandingInTx(
  ctx: Ctx,
  tx: Tx,
  { applicationId, input, source }: { applicationId: string; input: BrandingInput; source: AuditSource },
): Promise<BrandingBody> {
  await requireLockedApplication(tx, applicationId)
  return setBranding(ctx, tx, { owner: { applicationId }, input, source })
}

export const removeApplicationBranding = (ctx: Ctx, applicationId: string, source: AuditSource): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    await requireLockedApplication(tx, applicationId)
    await removeBranding(ctx, tx, { owner: { applicationId }, source })
  })

async function requireLockedApplication(tx: Tx, id: string): Promise<void> {
  const isLocked = isId(id) && (await lockApplication(tx, id))
  if (!isLocked) throw new AppError('APPLICATION_NOT_FOUND')
}

/** Returns only after the cache of this node has seen the change. */
async function inTransaction<T>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> {
  const result = await ctx.db.transaction().execute(work)
  await ctx.changes.waitUntilCurrent()
  return result
}
