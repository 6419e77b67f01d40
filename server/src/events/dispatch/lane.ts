import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { disableWebhook } from '../ending/service.ts'
import { type Attempt, attempt, findWaitingEvent } from './attempt.ts'
import { nextAttemptAt } from './backoff.ts'
import { ATTEMPTS } from './figures.ts'
import type { Guard } from './guard.ts'
import {
  hasArrivedSince,
  isBehindFailure,
  type Lane,
  noteDelivered,
  noteFailure,
  noteGivenUp,
  releaseLane,
  renewLease,
  takeNext,
  type Waiting,
} from './store.ts'

/** How long a lease lasts unless it is renewed. The node that works on the lane renews it every few seconds. */
export const LEASE_MS = 10_000
const RENEWAL_MS = 3_000
/** A node that works on a lane for longer than this hangs, and loses the lane. */
const LONGEST_TURN_MS = 60_000
/** So many are sent, and so long, before other lanes have their turn: a slow receiver must not keep a place for itself. */
const IN_A_ROW = 50
const TURN_MS = 10_000

/** `stop`: nothing more is begun; `cutOff`: what is under way is broken off. */
export interface Ending {
  stop: AbortSignal
  cutOff: AbortSignal
}

export const leaseFrom = (now: Date): Date => new Date(now.getTime() + LEASE_MS)

/** Sends what waits in a lane, one after the other, until one is in vain. Nothing overtakes that one. */
export async function workOff(ctx: Ctx, guard: Guard, lane: Lane, { stop, cutOff }: Ending): Promise<void> {
  const lease = keepLease(ctx, lane)
  try {
    await sendWaiting(ctx, guard, lane, { stop, cutOff: AbortSignal.any([cutOff, lease.lost]) })
  } finally {
    lease.end()
  }
}

/** Renews the lease until told to end. `lost` aborts when another node may have taken the lane. */
function keepLease(ctx: Ctx, lane: Lane): { lost: AbortSignal; end(): void } {
  const lost = new AbortController()
  const began = performance.now()
  let renewedAt = began
  const renew = async () => {
    const at = performance.now()
    if (at - renewedAt > LEASE_MS || at - began > LONGEST_TURN_MS) return lost.abort()
    // A renewal that fails is tried again; if none succeeds in time, the lease has expired.
    const renewed = await renewLease(ctx.db, lane, leaseFrom(ctx.now())).catch(() => undefined)
    if (renewed) renewedAt = at
    else if (renewed === false) lost.abort()
  }
  const timer = setInterval(() => void (lost.signal.aborted || renew()), RENEWAL_MS)
  return { lost: lost.signal, end: () => clearInterval(timer) }
}

async function sendWaiting(ctx: Ctx, guard: Guard, lane: Lane, { stop, cutOff }: Ending): Promise<void> {
  const end = performance.now() + TURN_MS
  const mayGoOn = () => performance.now() < end && !stop.aborted && !cutOff.aborted
  for (let sent = 0; sent < IN_A_ROW && mayGoOn(); sent++) {
    const waiting = await takeNext(ctx.db, lane, leaseFrom(ctx.now()))
    if (!waiting) break
    const event = await findWaitingEvent(ctx, waiting)
    const result = event ? await attempt(ctx, guard, waiting, { event, cutOff }) : gone(ctx)
    if (!(await settle(ctx, lane, waiting, { result, cutOff }))) return
  }
  await releaseLane(ctx.db, lane, ctx.now())
}

const EVENT_GONE = 'event_gone'
const gone = (ctx: Ctx): Attempt => ({ startedAt: ctx.now(), status: undefined, error: EVENT_GONE })

/** Notes what came of an attempt; says whether the next one's turn is now. */
async function settle(
  ctx: Ctx,
  lane: Lane,
  waiting: Waiting,
  { result, cutOff }: { result: Attempt; cutOff: AbortSignal },
): Promise<boolean> {
  const { startedAt, status, error, retryAfter } = result
  const now = ctx.now()
  if (error === undefined && status !== undefined) {
    ctx.figures.count(ATTEMPTS, { outcome: 'delivered' })
    await noteDelivered(ctx.db, waiting, { status, startedAt, now })
    return true
  }
  // What was broken off because this node stops, or has lost the lane, says nothing of the receiver.
  if (cutOff.aborted && status === undefined && error !== EVENT_GONE) return true
  if (error !== EVENT_GONE) ctx.figures.count(ATTEMPTS, { outcome: 'failed' })
  const firstAttemptAt = waiting.firstAttemptAt ?? startedAt
  const next = nextAttemptAt({ attempt: waiting.attempts + 1, firstAttemptAt, now, retryAfter })
  if (next && error !== EVENT_GONE) {
    await retryLater(ctx, lane, waiting, { result, next })
    return false
  }
  await giveUp(ctx, lane, waiting, { result, firstAttemptAt })
  return true
}

/** The receiver that says it is gone is not asked again until somebody says that it should be. */
const retryLater = (
  ctx: Ctx,
  lane: Lane,
  waiting: Waiting,
  { result, next }: { result: Attempt; next: Date },
): Promise<void> =>
  ctx.db.transaction().execute(async (tx) => {
    if (result.status === 410) await disableWebhook(ctx, tx, lane.webhookId, 'GONE')
    await noteFailure(tx, lane, waiting, { ...result, next })
  })

/** An event is given up once its time is over; the webhook with it, unless it is that one event that is refused. */
const giveUp = (
  ctx: Ctx,
  lane: Lane,
  waiting: Waiting,
  { result, firstAttemptAt }: { result: Attempt; firstAttemptAt: Date },
): Promise<void> =>
  ctx.db.transaction().execute(async (tx) => {
    const { webhookId } = lane
    const arrived = result.error === EVENT_GONE || (await hasArrivedSince(tx, webhookId, firstAttemptAt))
    if (result.status === 410) await disableWebhook(ctx, tx, webhookId, 'GONE')
    else if (!arrived && !(await isJudged(tx, { lane, waiting, result })))
      await disableWebhook(ctx, tx, webhookId, 'UNREACHABLE')
    await noteGivenUp(tx, waiting, { ...result, now: ctx.now() })
  })

/** These say "not now", and nothing of the event. */
const NOT_NOW = [408, 425, 429]

/** Whether the receiver is there and will not have this one event. Who will not have two in a row has none. */
async function isJudged(
  tx: Tx,
  { lane, waiting, result: { status = 0 } }: { lane: Lane; waiting: Waiting; result: Attempt },
): Promise<boolean> {
  const refused = status >= 400 && status < 500 && !NOT_NOW.includes(status)
  return refused && !(await isBehindFailure(tx, lane, waiting))
}
