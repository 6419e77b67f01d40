import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { inSavepoint } from '../../db/savepoint.ts'
import { AppError } from '../../errors.ts'
import { type Granting, inLedger, type Settled } from './in-ledger.ts'
import { holdAll } from './store.ts'

/** What became of one of many. */
export type RowResult<T> = { result: T } | { error: AppError }

/** Does the same for many, each as if it had come alone: one that fails holds up no other. Results keep their order. */
export function inBulk<W extends { userId: string; applicationId?: unknown }, T>(
  ctx: Ctx,
  granting: Granting,
  wishes: W[],
  work: (ctx: Ctx, tx: Tx, granting: Granting, wish: W) => Promise<T>,
): Promise<Settled<RowResult<T>[]>> {
  return inLedger(ctx, granting, async (tx) => {
    await holdAll(tx, granting.tenantId, wishes)
    const results: RowResult<T>[] = []
    for (const wish of wishes) results.push(await attempt(ctx, tx, granting, wish, work))
    return results
  })
}

/** Does one thing that may be refused, and leaves no trace of it then. */
export async function attempt<W, T>(
  ctx: Ctx,
  tx: Tx,
  granting: Granting,
  wish: W,
  work: (ctx: Ctx, tx: Tx, granting: Granting, wish: W) => Promise<T>,
): Promise<RowResult<T>> {
  try {
    return { result: await inSavepoint(tx, () => work(ctx, tx, granting, wish)) }
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    return { error }
  }
}
