import type { Source } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { describePage, toRange } from '../../http/pagination.ts'
import { NO_ID, toId } from '../../lib/ids.ts'
import { refuseNothing } from '../../lib/problems.ts'
import { changeTenant } from '../service.ts'
import { findTenantWithCount } from '../store.ts'
import { setSuspended } from '../suspension.ts'
import { readCursor, writeCursor } from './cursor.ts'
import type { AdministeredTenantChange, TenantPage, TenantQuery } from './schema.ts'
import { countTenants, listTenants } from './store.ts'
import { type AdministeredTenant, toAdministered } from './tenant-body.ts'

/** All tenants of the instance, for those who run it. What they change is changed as the tenant itself would. */

/** Beyond this nobody waits for an exact number. */
const MOST_COUNTED = 10_000

export async function pageOfTenants({ db }: Ctx, query: TenantQuery): Promise<TenantPage> {
  const { sort, suspended } = query
  const prefix = query.search?.trim() || undefined
  // Whatever is no id is nobody's.
  const userId = query.userId === undefined ? undefined : (toId(query.userId) ?? NO_ID)
  const filter = { prefix, suspended, userId }
  const after = query.after === undefined ? undefined : readCursor(sort, query.after)
  const { offset, limit } = toRange(query)
  // One more than is shown tells whether there are more.
  const range = { offset: after ? 0 : offset, limit: limit + 1 }
  const rows = await listTenants(db, { sort, filter, after }, range)
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  const total = await countTenants(db, filter, MOST_COUNTED)
  return {
    tenants: shown.map(toAdministered),
    pagination: {
      ...describePage(query, Math.min(total, MOST_COUNTED)),
      totalIsExact: total <= MOST_COUNTED,
      next: last ? writeCursor(sort, last) : null,
    },
  }
}

export async function showTenant(tx: Tx, id: string): Promise<AdministeredTenant> {
  const tenant = await findTenantWithCount(tx, id)
  if (!tenant) throw new AppError('TENANT_NOT_FOUND')
  return toAdministered(tenant)
}

export async function alterTenant(
  ctx: Ctx,
  tx: Tx,
  { id, change, source }: { id: string; change: AdministeredTenantChange; source: Source },
): Promise<AdministeredTenant> {
  refuseNothing(change)
  const { suspended, ...rest } = change
  await changeTenant(ctx, tx, { id, change: rest, source })
  if (suspended !== undefined) await setSuspended(ctx, tx, { id, suspended, source })
  return showTenant(tx, id)
}
