import type { Ctx } from '../../context.ts'
import type { Db } from '../../db/open.ts'
import type { LicensingMode } from '../../db/tables.ts'
import { AppError } from '../../errors.ts'
import { requireApplicationId } from '../application-id.ts'
import { countHolders, enterFor, type Holder, listHolders } from './store.ts'

interface Asked {
  tenantId: string
  applicationId: string
}

/** Who in the tenant may use the application at this moment. */
export const holdersOf = (ctx: Ctx, asked: Asked): Promise<Holder[]> =>
  look(ctx, asked, (db, mode) => listHolders(db, mode, { ...asked, now: ctx.now() }))

export const numberOfHolders = (ctx: Ctx, asked: Asked): Promise<number> =>
  look(ctx, asked, (db, mode) => countHolders(db, mode, { ...asked, now: ctx.now() }))

/** Behind the wall between tenants. */
async function look<T>(
  ctx: Ctx,
  { tenantId, applicationId }: Asked,
  work: (db: Db, mode: LicensingMode) => Promise<T>,
): Promise<T> {
  const id = requireApplicationId(applicationId)
  return ctx.db.transaction().execute(async (tx) => {
    const mode = await enterFor(tx, { tenantId, applicationId: id })
    if (mode === undefined) throw new AppError('INVALID_APPLICATION_ID')
    return work(tx, mode)
  })
}
