import type { AuditSource } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { describePage, toRange } from '../../http/routing/pagination.ts'
import { requireAnyField } from '../../lib/field-validation.ts'
import { NIL_ID, toId } from '../../lib/ids.ts'
import { changeTenant } from '../service.ts'
import { findTenantWithCount } from '../store.ts'
import { setSuspended } from '../suspension.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import type { TenantPage, TenantQuery, UpdateAdminTenantRequest } from './schema.ts'
import { countTenants, listTenants } from './store.ts'
import { type AdminTenant, toAdministeredTenant } from './tenant-body.ts'

/** The tenants of the instance, for operators. Changes follow the same rules as those of a member. */

const MAX_EXACT_COUNT = 10_000

export async function getTenantPage({ db }: Ctx, query: TenantQuery): Promise<TenantPage> {
  const { sort, suspended } = query
  const prefix = query.search?.trim() || undefined
  // An invalid id matches nothing.
  const userId = query.userId === undefined ? undefined : (toId(query.userId) ?? NIL_ID)
  const filter = { prefix, suspended, userId }
  const after = query.after === undefined ? undefined : decodeCursor(sort, query.after)
  const { offset, limit } = toRange(query)
  // One more row than the page has tells whether there is a next page.
  const range = { offset: after ? 0 : offset, limit: limit + 1 }
  const rows = await listTenants(db, { sort, filter, after }, range)
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  const total = await countTenants(db, filter, MAX_EXACT_COUNT)
  return {
    tenants: page.map(toAdministeredTenant),
    pagination: {
      ...describePage(query, Math.min(total, MAX_EXACT_COUNT)),
      totalIsExact: total <= MAX_EXACT_COUNT,
      next: last ? encodeCursor(sort, last) : null,
    },
  }
}

export async function getAdministeredTenant(tx: Tx, id: string): Promise<AdminTenant> {
  const tenant = await findTenantWithCount(tx, id)
  if (!tenant) throw new AppError('TENANT_NOT_FOUND')
  return toAdministeredTenant(tenant)
}

export async function updateAdministeredTenant(
  ctx: Ctx,
  tx: Tx,
  { id, change, source }: { id: string; change: UpdateAdminTenantRequest; source: AuditSource },
): Promise<AdminTenant> {
  requireAnyField(change)
  const { suspended, ...rest } = change
  await changeTenant(ctx, tx, { id, change: rest, source })
  if (suspended !== undefined) await setSuspended(ctx, tx, { id, suspended, source })
  return getAdministeredTenant(tx, id)
}
