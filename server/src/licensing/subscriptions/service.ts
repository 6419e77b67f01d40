import { findChanges } from '../../audit/changes.ts'
import { type AuditSource, recordAuditEvent, SYSTEM } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { rejectIfReferenceGone } from '../../db/errors.ts'
import type { Db, Tx } from '../../db/open.ts'
import type { SubscriptionStatus } from '../../db/tables.ts'
import { AppError } from '../../errors.ts'
import { defineJob } from '../../jobs/job.ts'
import { requireAnyField } from '../../lib/field-validation.ts'
import { NIL_ID, newId, toId } from '../../lib/ids.ts'
import { getLicenseType } from '../catalog/service.ts'
import { isUsable, toEffectiveStatus } from '../periods.ts'
import { inSeatTransaction } from '../seats/seat-transaction.ts'
import {
  findSubscribedTenantId,
  findSubscriptionDetails,
  findTenantName,
  insertSubscription,
  listSubscriptions,
  lockLapsedSubscriptions,
  lockSubscription,
  releaseOverdueReservations,
  type Subscription,
  type SubscriptionDetails,
  updateSubscription,
} from './store.ts'

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

export async function createSubscription(
  ctx: Ctx,
  { draft, source }: { draft: NewSubscription; source: AuditSource },
): Promise<SubscriptionDetails> {
  const tenantId = toId(draft.tenantId) ?? NIL_ID
  const work = (tx: Tx) => createSubscriptionInTx(ctx, tx, { draft: { ...draft, tenantId }, source })
  return (await inSeatTransaction(ctx, { tenantId, actor: source.actor, asOperator: true }, work)).result
}

export async function createSubscriptionInTx(
  ctx: Ctx,
  tx: Tx,
  { draft, source }: { draft: NewSubscription; source: AuditSource },
): Promise<SubscriptionDetails> {
  const { tenantId, licenseTypeId, quantityPurchased, status = 'ACTIVE', currentPeriodEnd = null } = draft
  const type = await getLicenseType(tx, licenseTypeId)
  // An archived type keeps its subscriptions but accepts no new ones.
  if (type.status === 'ARCHIVED') throw new AppError('LICENSE_TYPE_NOT_FOUND')
  const now = ctx.now()
  const subscription = await rejectIfReferenceGone(
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
  const details = {
    subscriptionId: subscription.id,
    licenseTypeId: type.id,
    after: toAuditState(subscription),
  }
  await recordAuditEvent(ctx, tx, { action: 'subscription.created', ...source, tenantId, details })
  return getSubscriptionDetails(tx, subscription.id, now)
}

async function getSubscriptionDetails(db: Db, id: string, now: Date): Promise<SubscriptionDetails> {
  const details = await findSubscriptionDetails(db, id, now)
  if (!details) throw new AppError('SUBSCRIPTION_NOT_FOUND')
  return details
}

export async function getTenant(db: Db, id: string): Promise<{ id: string; name: string }> {
  const tenant = await findTenantName(db, toId(id) ?? NIL_ID)
  if (!tenant) throw new AppError('TENANT_NOT_FOUND')
  return tenant
}

export const toAuditState = ({ quantity_purchased, status, current_period_end }: Subscription) => ({
  quantityPurchased: quantity_purchased,
  status,
  currentPeriodEnd: current_period_end,
})

/**
 * Reducing the seats below the number in use fails with SEATS_IN_USE, so that no one loses a seat. A lapsed
 * subscription may be renewed with fewer seats: its holders keep theirs, and the surplus is tolerated.
 */
export async function changeSubscription(
  ctx: Ctx,
  { id, change, source }: { id: string; change: SubscriptionChange; source: AuditSource },
): Promise<SubscriptionDetails> {
  requireAnyField(change)
  const tenantId = await findSubscribedTenantId(ctx.db, toId(id) ?? NIL_ID)
  if (tenantId === undefined) throw new AppError('SUBSCRIPTION_NOT_FOUND')
  const work = (tx: Tx) => changeSubscriptionInTx(ctx, tx, { id, change, source })
  return (await inSeatTransaction(ctx, { tenantId, actor: source.actor, asOperator: true }, work)).result
}

export async function changeSubscriptionInTx(
  ctx: Ctx,
  tx: Tx,
  { id, change, source }: { id: string; change: SubscriptionChange; source: AuditSource },
): Promise<SubscriptionDetails> {
  const now = ctx.now()
  await releaseOverdueReservations(tx, id, now)
  const subscription = await lockSubscription(tx, id)
  if (!subscription) throw new AppError('SUBSCRIPTION_NOT_FOUND')
  const before = toAuditState(subscription)
  const after = {
    quantityPurchased: change.quantityPurchased ?? before.quantityPurchased,
    status: change.status ?? before.status,
    currentPeriodEnd: change.currentPeriodEnd === undefined ? before.currentPeriodEnd : change.currentPeriodEnd,
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
    await recordAuditEvent(ctx, tx, { action: 'subscription.changed', ...source, tenantId, details })
    await updateSubscription(tx, id, {
      quantity_purchased: after.quantityPurchased,
      status: after.status,
      current_period_end: after.currentPeriodEnd,
      // Renewing a lapsed subscription starts a new period.
      ...(!wasUsable && isUsable(after, now) && { current_period_start: now }),
      tolerated: after.quantityPurchased < inUse ? inUse : 0,
      ...(isUsable(after, now) && { lapse_noted_at: null }),
      updated_at: now,
    })
  }
  return getSubscriptionDetails(tx, id, now)
}

/** The fields of a subscription that every list contains. */
export function toSummary(row: SubscriptionDetails, now: Date) {
  const period = { status: row.status, currentPeriodEnd: row.current_period_end }
  const { quantity_purchased: quantityPurchased, quantity_assigned: quantityAssigned, reserved } = row
  return {
    applicationId: row.application_id,
    applicationName: row.application_name,
    licenseTypeId: row.license_type_id,
    licenseTypeName: row.license_type_name,
    quantityPurchased,
    quantityAssigned,
    // After a renewal with fewer seats, more may be in use than were purchased.
    quantityAvailable: Math.max(0, quantityPurchased - quantityAssigned - reserved),
    status: toEffectiveStatus(period, now),
  }
}

export function toSubscriptionBody(row: SubscriptionDetails, now: Date) {
  return {
    id: row.id,
    ...toSummary(row, now),
    licenseTypeSlug: row.license_type_slug,
    currentPeriodStart: row.current_period_start.toISOString(),
    currentPeriodEnd: row.current_period_end?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  }
}

export async function listTenantSubscriptions(ctx: Ctx, tenantId: string): Promise<SubscriptionDetails[]> {
  await getTenant(ctx.db, tenantId)
  return listSubscriptions(ctx.db, tenantId, ctx.now())
}

/** Lists all subscriptions of a tenant; expired ones are not part of the totals. */
export async function getLicenseOverview(ctx: Ctx, tenantId: string) {
  const tenant = await getTenant(ctx.db, tenantId)
  const now = ctx.now()
  const subscriptions = (await listSubscriptions(ctx.db, tenantId, now)).map((row) => toSummary(row, now))
  const { purchased, assigned, available } = sumSeats(subscriptions)
  return {
    tenantId: tenant.id,
    tenantName: tenant.name,
    totalSeatsOwned: purchased,
    totalSeatsAssigned: assigned,
    totalSeatsAvailable: available,
    subscriptions,
  }
}

/** Expired subscriptions count as zero seats. */
export function sumSeats(subscriptions: ReturnType<typeof toSummary>[]) {
  const usable = subscriptions.filter(({ status }) => status !== 'EXPIRED')
  const total = (field: 'quantityPurchased' | 'quantityAssigned' | 'quantityAvailable') =>
    usable.reduce((sum, entry) => sum + entry[field], 0)
  return {
    purchased: total('quantityPurchased'),
    assigned: total('quantityAssigned'),
    available: total('quantityAvailable'),
  }
}

const MAX_BATCH_SIZE = 100

/** Records an audit event for each lapsed subscription. License checks do not depend on this job. */
export const recordLapsedSubscriptions = defineJob<unknown>({
  name: 'note_lapsed_subscriptions',
  schedule: '*/5 * * * *',
  async run(ctx) {
    while ((await ctx.db.transaction().execute((tx) => recordLapsedBatch(ctx, tx))) === MAX_BATCH_SIZE);
  },
})

async function recordLapsedBatch(ctx: Ctx, tx: Tx): Promise<number> {
  const now = ctx.now()
  const lapsed = await lockLapsedSubscriptions(tx, now, MAX_BATCH_SIZE)
  for (const { id, tenant_id: tenantId, license_type_id: licenseTypeId, ...rest } of lapsed) {
    const details = { subscriptionId: id, licenseTypeId, at: rest.current_period_end }
    await recordAuditEvent(ctx, tx, { action: 'subscription.lapsed', actor: SYSTEM, tenantId, details })
    await updateSubscription(tx, id, { lapse_noted_at: now })
  }
  return lapsed.length
}
