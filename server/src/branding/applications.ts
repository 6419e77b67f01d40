import type { Source } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { isId } from '../lib/ids.ts'
import type { BrandingBody } from './branding-body.ts'
import { brand, type NewBranding, showBranding, unbrand } from './service.ts'
import { isApplication, lockApplication } from './store.ts'

/** The branding of applications, for whoever runs the instance. */

export async function showBrandingOfApplication(ctx: Ctx, applicationId: string): Promise<BrandingBody> {
  const isThere = isId(applicationId) && (await isApplication(ctx.db, applicationId))
  if (!isThere) throw new AppError('APPLICATION_NOT_FOUND')
  return showBranding(ctx.db, { applicationId })
}

export const brandApplication = (
  ctx: Ctx,
  applicationId: string,
  { wish, source }: { wish: NewBranding; source: Source },
): Promise<BrandingBody> => settled(ctx, (tx) => brandWithin(ctx, tx, { applicationId, wish, source }))

/** The same in a transaction that does more. */
export async function brandWithin(
  ctx: Ctx,
  tx: Tx,
  { applicationId, wish, source }: { applicationId: string; wish: NewBranding; source: Source },
): Promise<BrandingBody> {
  await hold(tx, applicationId)
  return brand(ctx, tx, { owner: { applicationId }, wish, source })
}

export const unbrandApplication = (ctx: Ctx, applicationId: string, source: Source): Promise<void> =>
  settled(ctx, async (tx) => {
    await hold(tx, applicationId)
    await unbrand(ctx, tx, { owner: { applicationId }, source })
  })

/** Others who would change it wait until the transaction ends. */
async function hold(tx: Tx, id: string): Promise<void> {
  const isThere = isId(id) && (await lockApplication(tx, id))
  if (!isThere) throw new AppError('APPLICATION_NOT_FOUND')
}

/** Whatever is changed is known to this node before the answer is. */
async function settled<T>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> {
  const done = await ctx.db.transaction().execute(work)
  await ctx.changes.settle()
  return done
}
