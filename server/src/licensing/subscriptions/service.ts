import { findChanges } from '../../audit/changes.ts'
import { record, type Source, SYSTEM } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Db, Tx } from '../../db/open.ts'
import type { SubscriptionStatus } from '../../db/tables.ts'
import { orGone } from '../../db/violations.ts'
import { AppError } from '../../errors.ts'
import { defineJob } from '../../jobs/job.ts'
import { NO_ID, newId, toId } from '../../lib/ids.ts'
import { refuseNothing } from '../../lib/problems.ts'
import { getType } from '../catalogue/service.ts'
import { isUsable, statusAt } from '../periods.ts'
import { inLedger } from '../seats/in-ledger.ts'
import {
  findBuyer,
  findShownSubscription,
  findTenantName,
  insertSubscription,
  listSubscriptions,
  lockLapsed,
  lockSubscription,
  releaseOverdueOf,
  type ShownSubscription,
  type Subscription,
  updateSubscription,
} from './store.ts'

/** Subscriptions: how many seats of which type a tenant has bought, and for how long. */

export interface NewSubscription {
  tenantId: string
  licenseTypeId: string
  quantityPurchased: number
  status?: SubscriptionStatus | undefined
  currentPeriodEnd?: Date | null | undefined
}

export interface SubscriptionChange {
  quantityPurchased?: number | undefined
  status?: SubscriptionStatus | undefined
  currentPeriodEnd?: Date | null | undefined
}

export async function subscribe(
  ctx: Ctx,
  { draft, source }: { draft: NewSubscription; source: Source },
): Promise<ShownSubscription> {
  const tenantId = toId(draft.tenantId) ?? NO_ID
  const work = (tx: Tx) => addSubscription(ctx, tx, { draft: { ...draft, tenantId }, source })
  return (await inLedger(ctx, { tenantId, actor: source.actor, asOperator: true }, work)).result
}

export async function addSubscription(
  ctx: Ctx,
  tx: Tx,
  { draft, source }: { draft: NewSubscription; source: Source },
): Promise<ShownSubscription> {
  const { tenantId, licenseTypeId, quantityPurchased, status = 'ACTIVE', currentPeriodEnd = null } = draft
  const type = await getType(tx, licenseTypeId)
  // What is not sold any more keeps those who have it, and takes on nobody.
  if (type.status === 'ARCHIVED') throw new AppError('LICENSE_TYPE_NOT_FOUND')
  const now = ctx.now()
  const subscription = await orGone(
    'LICENSE_TYPE_NOT_FOUND',
    insertSubscription(tx, {
      id: newId(),
      tenant_id: tenantId,
      application_id: type.application_id,
      license_type_id: type.id,
      quantity_purchased: quantityPurchased,
      status,
      current_period_start: now,
      current_period_end: currentPeriodEnd,
      created_at: now,
      updated_at: now,
    }),
  )
  if (!subscription) throw new AppError('SUBSCRIPTION_EXISTS')
  const details = { subscriptionId: subscription.id, licenseTypeId: type.id, after: stateOf(subscription) }
  await record(ctx, tx, { action: 'subscription.created', ...source, tenantId, details })
  return getShown(tx, subscription.id, now)
}

async function getShown(db: Db, id: string, now: Date): Promise<ShownSubscription> {
  const shown = await findShownSubscription(db, id, now)
  if (!shown) throw new AppError('SUBSCRIPTION_NOT_FOUND')
  return shown
}

export async function getTenant(db: Db, id: string): Promise<{ id: string; name: string }> {
  const tenant = await findTenantName(db, toId(id) ?? NO_ID)
  if (!tenant) throw new AppError('TENANT_NOT_FOUND')
  return tenant
}

export const stateOf = ({ quantity_purchased, status, current_period_end }: Subscription) => ({
  quantityPurchased: quantity_purchased,
  status,
  currentPeriodEnd: current_period_end,
})

/**
 * Changes a subscription. Nobody loses a seat by it: fewer seats than are taken is SEATS_IN_USE, unless it had run out
 * before; then the holders come back with it, and are borne with.
 */
export async function changeSubscription(
  ctx: Ctx,
  { id, change, source }: { id: string; change: SubscriptionChange; source: Source },
): Promise<ShownSubscription> {
  refuseNothing(change)
  const tenantId = await findBuyer(ctx.db, toId(id) ?? NO_ID)
  if (tenantId === undefined) throw new AppError('SUBSCRIPTION_NOT_FOUND')
  const work = (tx: Tx) => alterSubscription(ctx, tx, { id, change, source })
  return (await inLedger(ctx, { tenantId, actor: source.actor, asOperator: true }, work)).result
}

export async function alterSubscription(
  ctx: Ctx,
  tx: Tx,
  { id, change, source }: { id: string; change: SubscriptionChange; source: Source },
): Promise<ShownSubscription> {
  const now = ctx.now()
  await releaseOverdueOf(tx, id, now)
  const subscription = await lockSubscription(tx, id)
  if (!subscription) throw new AppError('SUBSCRIPTION_NOT_FOUND')
  const before = stateOf(subscription)
  const after = {
    quantityPurchased: change.quantityPurchased ?? before.quantityPurchased,
    status: change.status ?? before.status,
    currentPeriodEnd:
      change.currentPeriodEnd === undefined ? before.currentPeriodEnd : change.currentPeriodEnd,
  }
  const changes = findChanges<Record<string, unknown>>(before, after)
  if (changes) {
    const inUse = subscription.quantity_assigned + subscription.quantity_reserved
    const wasUsable = isUsable(before, now)
    if (wasUsable && after.quantityPurchased < inUse && after.quantityPurchased < before.quantityPurchased) {
      throw new AppError('SEATS_IN_USE', { details: { inUse } })
    }
    const details = {
      subscriptionId: subscription.id,
      licenseTypeId: subscription.license_type_id,
      ...changes,
    }
    const { tenant_id: tenantId } = subscription
    await record(ctx, tx, { action: 'subscription.changed', ...source, tenantId, details })
    await updateSubscription(tx, id, {
      quantity_purchased: after.quantityPurchased,
      status: after.status,
      current_period_end: after.currentPeriodEnd,
      // A new period begins where the one before was over.
      ...(!wasUsable && isUsable(after, now) && { current_period_start: now }),
      tolerated: after.quantityPurchased < inUse ? inUse : 0,
      ...(isUsable(after, now) && { lapse_noted_at: null }),
      updated_at: now,
    })
  }
  return getShown(tx, id, now)
}

/** One subscription as every list shows it. */
export function toEntry(row: ShownSubscription, now: Date) {
  const period = { status: row.status, currentPeriodEnd: row.current_period_end }
  const { quantity_purchased: quantityPurchased, quantity_assigned: quantityAssigned, reserved } = row
  return {
    applicationId: row.application_id,
    applicationName: row.application_name,
    licenseTypeId: row.license_type_id,
    licenseTypeName: row.license_type_name,
    quantityPurchased,
    quantityAssigned,
    // Renewed with fewer seats than it has holders, there is none to give.
    quantityAvailable: Math.max(0, quantityPurchased - quantityAssigned - reserved),
    status: statusAt(period, now),
  }
}

export function toFullEntry(row: ShownSubscription, now: Date) {
  return {
    id: row.id,
    ...toEntry(row, now),
    licenseTypeSlug: row.license_type_slug,
    currentPeriodStart: row.current_period_start.toISOString(),
    currentPeriodEnd: row.current_period_end?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  }
}

export async function subscriptionsOf(ctx: Ctx, tenantId: string): Promise<ShownSubscription[]> {
  await getTenant(ctx.db, tenantId)
  return listSubscriptions(ctx.db, tenantId, ctx.now())
}

/** What a tenant owns and uses. What has run out is listed, and counts for nothing. */
export async function overviewOf(ctx: Ctx, tenantId: string) {
  const tenant = await getTenant(ctx.db, tenantId)
  const now = ctx.now()
  const subscriptions = (await listSubscriptions(ctx.db, tenantId, now)).map((row) => toEntry(row, now))
  const { purchased, assigned, available } = sumUp(subscriptions)
  return {
    tenantId: tenant.id,
    tenantName: tenant.name,
    totalSeatsOwned: purchased,
    totalSeatsAssigned: assigned,
    totalSeatsAvailable: available,
    subscriptions,
  }
}

/** The seats of several subscriptions together; of those that have run out there are none. */
export function sumUp(subscriptions: ReturnType<typeof toEntry>[]) {
  const good = subscriptions.filter(({ status }) => status !== 'EXPIRED')
  const total = (field: 'quantityPurchased' | 'quantityAssigned' | 'quantityAvailable') =>
    good.reduce((sum, entry) => sum + entry[field], 0)
  return {
    purchased: total('quantityPurchased'),
    assigned: total('quantityAssigned'),
    available: total('quantityAvailable'),
  }
}

const BATCH = 100

/** Notes what the clock has decided, and tells of it. No answer waits for that. */
export const noteLapses = defineJob<unknown>({
  name: 'note_lapsed_subscriptions',
  schedule: '*/5 * * * *',
  async run(ctx) {
    while ((await ctx.db.transaction().execute((tx) => noteSome(ctx, tx))) === BATCH);
  },
})

async function noteSome(ctx: Ctx, tx: Tx): Promise<number> {
  const now = ctx.now()
  const lapsed = await lockLapsed(tx, now, BATCH)
  for (const { id, tenant_id: tenantId, license_type_id: licenseTypeId, ...rest } of lapsed) {
    const details = { subscriptionId: id, licenseTypeId, at: rest.current_period_end }
    await record(ctx, tx, { action: 'subscription.lapsed', actor: SYSTEM, tenantId, details })
    await updateSubscription(tx, id, { lapse_noted_at: now })
  }
  return lapsed.length
}
