import type { Ctx } from '../../context.ts'
import type { Db } from '../../db/open.ts'
import type { LicensingMode } from '../../db/tables.ts'
import { AppError } from '../../errors.ts'
import { requireApplicationId } from '../application-id.ts'
import { countHolders, enterTenantScope, type Holder, type HolderQuery, listHolders } from './store.ts'

type HolderRequest = Omit<HolderQuery, 'now'>

/** Lists the members of the tenant who hold a license for the application now. */
export const listLicenseHolders = (ctx: Ctx, request: HolderRequest): Promise<Holder[]> =>
  readInTenantScope(ctx, request, (db, mode) => listHolders(db, mode, { ...request, now: ctx.now() }))

export const countLicenseHolders = (ctx: Ctx, request: HolderRequest): Promise<number> =>
  readInTenantScope(ctx, request, (db, mode) => countHolders(db, mode, { ...request, now: ctx.now() }))

async function readInTenantScope<T>(
  ctx: Ctx,
  { tenantId, applicationId }: HolderRequest,
  read: (db: Db, mode: LicensingMode) => Promise<T>,
): Promise<T> {
  const id = requireApplicationId(applicationId)
  return ctx.db.transaction().execute(async (tx) => {
    const mode = await enterTenantScope(tx, { tenantId, applicationId: id })
    if (mode === undefined) throw new AppError('INVALID_APPLICATION_ID')
    return read(tx, mode)
  })
}
