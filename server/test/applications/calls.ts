import { createApplication } from '../../src/applications/service.ts'
import { OPERATOR } from '../../src/audit/record.ts'
import type { Ctx } from '../../src/context.ts'
import type { Tx } from '../../src/db/open.ts'

/** Runs in a transaction of its own. */
export const inTx = <T>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> =>
  ctx.db.transaction().execute(work)

export const newApplication = (ctx: Ctx, name = 'App') =>
  inTx(ctx, (tx) => createApplication(ctx, tx, { name }, OPERATOR))

/** What a refused call says: its code and the fields at fault. */
export async function refusal(work: Promise<unknown>): Promise<{ code: string; fields: string[] }> {
  const error = (await work.then(
    () => new Error('was not refused'),
    (thrown: unknown) => thrown,
  )) as Error & { code?: string; details?: { field: string }[] }
  if (error.code === undefined) throw error
  return { code: error.code, fields: (error.details ?? []).map(({ field }) => field) }
}
