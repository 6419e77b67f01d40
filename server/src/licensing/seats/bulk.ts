import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { inSavepoint } from '../../db/savepoint.ts'
import { AppError } from '../../errors.ts'
import { type GrantContext, inSeatTransaction, type WithRevision } from './seat-transaction.ts'
import { lockForBulk } from './store.ts'

/** The result of one row of a bulk request. */
export type RowResult<T> = { result: T } | { error: AppError }

/** Changes many seats in one transaction. A row that is refused does not affect the others. Results keep their order. */
export function changeSeatsInBulk<R extends { userId: string; applicationId?: unknown }, T>(
  ctx: Ctx,
  context: GrantContext,
  rows: R[],
  work: (ctx: Ctx, tx: Tx, context: GrantContext, row: R) => Promise<T>,
): Promise<WithRevision<RowResult<T>[]>> {
  return inSeatTransaction(ctx, context, async (tx) => {
    await lockForBulk(tx, context.tenantId, rows)
    const results: RowResult<T>[] = []
    for (const row of rows) results.push(await tryChange(ctx, tx, context, row, work))
    return results
  })
}

/** Makes a change that may be refused, and undoes it in that case. */
export async function tryChange<R, T>(
  ctx: Ctx,
  tx: Tx,
  context: GrantContext,
  row: R,
  work: (ctx: Ctx, tx: Tx, context: GrantContext, row: R) => Promise<T>,
): Promise<RowResult<T>> {
  try {
    return { result: await inSavepoint(tx, () => work(ctx, tx, context, row)) }
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    return { error }
  }
}
