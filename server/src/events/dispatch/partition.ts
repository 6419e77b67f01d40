import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { keepLease } from '../../lib/concurrency/lease.ts'
import { nextAttemptAt } from '../../lib/outgoing/backoff.ts'
import type { Guard } from '../../lib/outgoing/guard.ts'
import { disableWebhook } from '../disabling/service.ts'
import { type AttemptResult, attemptDelivery, findDeliveryEvent } from './attempt.ts'
import { ATTEMPTS } from './metrics.ts'
import {
  findNextDelivery,
  hasDeliveredSince,
  isPreviousDeliveryFailed,
  markDelivered,
  markFailed,
  markRetry,
  type Partition,
  type PendingDelivery,
  releasePartition,
  renewLease,
} from './store.ts'

/** The duration of a lease. The node that processes the partition renews it every few seconds. */
export const LEASE_MS = 10_000
const LEASE_RENEWAL_MS = 3_000
/** A node that holds a partition for longer than this is considered stuck and loses it. */
const MAX_LEASE_MS = 60_000
/** Limits for one run, so that a slow receiver does not occupy a slot while other partitions wait. */
const MAX_DELIVERIES_PER_RUN = 50
const MAX_RUN_MS = 10_000

/** `stop`: no new delivery is started; `abort`: running requests are aborted. */
export interface StopSignals {
  stop: AbortSignal
  abort: AbortSignal
}

export const leaseUntil = (now: Date): Date => new Date(now.getTime() + LEASE_MS)

/** Sends the pending deliveries of a partition in order until one fails. A failed delivery blocks those behind it. */
export async function processPartition(
  ctx: Ctx,
  guard: Guard,
  partition: Partition,
  { stop, abort }: StopSignals,
): Promise<void> {
  const lease = keepLease({ leaseMs: LEASE_MS, renewalMs: LEASE_RENEWAL_MS, maxMs: MAX_LEASE_MS }, () =>
    renewLease(ctx.db, partition, leaseUntil(ctx.now())),
  )
  try {
    await sendPending(ctx, guard, partition, { stop, abort: AbortSignal.any([abort, lease.lost]) })
  } finally {
    lease.end()
  }
}

async function sendPending(ctx: Ctx, guard: Guard, partition: Partition, { stop, abort }: StopSignals): Promise<void> {
  const end = performance.now() + MAX_RUN_MS
  const mayContinue = () => performance.now() < end && !stop.aborted && !abort.aborted
  for (let sent = 0; sent < MAX_DELIVERIES_PER_RUN && mayContinue(); sent++) {
    const delivery = await findNextDelivery(ctx.db, partition, leaseUntil(ctx.now()))
    if (!delivery) break
    const event = await findDeliveryEvent(ctx, delivery)
    const result = event ? await attemptDelivery(ctx, guard, delivery, { event, abort }) : eventGone(ctx)
    if (!(await saveResult(ctx, partition, delivery, { result, abort }))) return
  }
  await releasePartition(ctx.db, partition, ctx.now())
}

const EVENT_GONE = 'event_gone'
const eventGone = (ctx: Ctx): AttemptResult => ({
  startedAt: ctx.now(),
  status: undefined,
  error: EVENT_GONE,
})

/** Saves the result of an attempt and returns whether the next delivery may be sent now. */
async function saveResult(
  ctx: Ctx,
  partition: Partition,
  delivery: PendingDelivery,
  { result, abort }: { result: AttemptResult; abort: AbortSignal },
): Promise<boolean> {
  const { startedAt, status, error, retryAfter } = result
  const now = ctx.now()
  if (error === undefined && status !== undefined) {
    ctx.metrics.count(ATTEMPTS, { outcome: 'delivered' })
    await markDelivered(ctx.db, delivery, { status, startedAt, now })
    return true
  }
  // A request that was aborted because this node stops or lost the lease is not a failure of the receiver.
  if (abort.aborted && status === undefined && error !== EVENT_GONE) return true
  if (error !== EVENT_GONE) ctx.metrics.count(ATTEMPTS, { outcome: 'failed' })
  const firstAttemptAt = delivery.firstAttemptAt ?? startedAt
  const next = nextAttemptAt({ attempt: delivery.attempts + 1, firstAttemptAt, now, retryAfter })
  if (next && error !== EVENT_GONE) {
    await scheduleRetry(ctx, partition, delivery, { result, next })
    return false
  }
  await abandon(ctx, partition, delivery, { result, firstAttemptAt })
  return true
}

/** 410 Gone disables the webhook until it is enabled again. */
const scheduleRetry = (
  ctx: Ctx,
  partition: Partition,
  delivery: PendingDelivery,
  { result, next }: { result: AttemptResult; next: Date },
): Promise<void> =>
  ctx.db.transaction().execute(async (tx) => {
    if (result.status === 410) await disableWebhook(ctx, tx, partition.webhookId, 'GONE')
    await markRetry(tx, partition, delivery, { ...result, next })
  })

/** Abandons a delivery. The webhook is disabled too, unless the receiver rejects only this event. */
const abandon = (
  ctx: Ctx,
  partition: Partition,
  delivery: PendingDelivery,
  { result, firstAttemptAt }: { result: AttemptResult; firstAttemptAt: Date },
): Promise<void> =>
  ctx.db.transaction().execute(async (tx) => {
    const { webhookId } = partition
    const isReachable = result.error === EVENT_GONE || (await hasDeliveredSince(tx, webhookId, firstAttemptAt))
    if (result.status === 410) await disableWebhook(ctx, tx, webhookId, 'GONE')
    else if (!isReachable && !(await isEventRejected(tx, { partition, delivery, result })))
      await disableWebhook(ctx, tx, webhookId, 'UNREACHABLE')
    await markFailed(tx, delivery, { ...result, now: ctx.now() })
  })

/** Statuses that ask to retry later and do not reject the event. */
const RETRY_STATUSES = [408, 425, 429]

/** The receiver answers but rejects this one event. Two rejected events in a row count as unreachable. */
async function isEventRejected(
  tx: Tx,
  {
    partition,
    delivery,
    result: { status = 0 },
  }: { partition: Partition; delivery: PendingDelivery; result: AttemptResult },
): Promise<boolean> {
  const isRejected = status >= 400 && status < 500 && !RETRY_STATUSES.includes(status)
  return isRejected && !(await isPreviousDeliveryFailed(tx, partition, delivery))
}
