import { randomUUID } from 'node:crypto'
import type { AuditStream } from '../../config/audit-streams.ts'
import type { Ctx } from '../../context.ts'
import { abortAfterGrace } from '../../lib/concurrency/grace-period.ts'
import { keepLease } from '../../lib/concurrency/lease.ts'
import { toRetryDelay } from './backoff.ts'
import { type Batch, toStreamEvent } from './event.ts'
import { ATTEMPTS } from './metrics.ts'
import {
  type Claim,
  claimStream,
  confirmBatch,
  findBatchEnd,
  findStream,
  insertStream,
  listStreamEntries,
  markFailed,
  releaseClaim,
  renewClaim,
  type StreamState,
  updateBatch,
} from './store.ts'
import type { Rejection, Target } from './targets/target.ts'
import { TargetError } from './targets/target-error.ts'

/** The duration of a lease. The process that sends renews it every few seconds. */
const LEASE_MS = 6_000
const LEASE_RENEWAL_MS = 2_000
/** How long a batch may still be sent after the process was asked to stop. */
const GRACE_MS = 2_000

/** A configured target with its connection. */
export interface Stream {
  settings: AuditStream
  target: Target
}

/** Sends the events that are due, unless another process does. */
export async function streamDueBatches(ctx: Ctx, stream: Stream, stop: AbortSignal): Promise<void> {
  const { name, from } = stream.settings
  const state = await findStream(ctx.db, name)
  if (!state) return insertStream(ctx.db, { name, from, now: ctx.now() })
  const now = ctx.now()
  if (!isDue(stream, state, now) || isWaiting(state, now)) return
  const claim: Claim = { name, holder: randomUUID() }
  const leaseUntil = () => new Date(ctx.now().getTime() + LEASE_MS)
  if (!(await claimStream(ctx.db, claim, { now, until: leaseUntil() }))) return
  const lease = keepLease({ leaseMs: LEASE_MS, renewalMs: LEASE_RENEWAL_MS }, () =>
    renewClaim(ctx.db, claim, leaseUntil()),
  )
  const grace = abortAfterGrace(stop, GRACE_MS)
  const abort = AbortSignal.any([grace.signal, lease.lost])
  try {
    while (!stop.aborted && (await streamBatch(ctx, stream, { claim, abort })));
  } finally {
    lease.end()
    grace.dispose()
    // If this fails too, the lease expires.
    await releaseClaim(ctx.db, claim).catch(() => {})
  }
}

/** A batch was interrupted, is full, or has waited for long enough. */
function isDue({ settings, target }: Stream, state: StreamState, now: Date): boolean {
  const { position, batchEnd, anchor, head, oldest } = state
  if (batchEnd !== null || anchor > position) return true
  if (head - position >= target.limits.maxEvents) return true
  return oldest !== null && oldest.getTime() + settings.delayMs <= now.getTime()
}

/** Another process sends, or the last attempt failed recently. */
const isWaiting = ({ lockedUntil, retryAt }: StreamState, now: Date): boolean =>
  [lockedUntil, retryAt].some((time) => time !== null && time > now)

/** Sends the next batch. Returns false if none is due, it failed, or the claim was lost. */
async function streamBatch(
  ctx: Ctx,
  stream: Stream,
  { claim, abort }: { claim: Claim; abort: AbortSignal },
): Promise<boolean> {
  const state = await findStream(ctx.db, claim.name)
  if (!state || !isDue(stream, state, ctx.now())) return false
  const batch = await prepareBatch(ctx, stream, { claim, state })
  if (!batch) return false
  const { lastPosition: upTo, events } = batch
  try {
    const rejection = events.length > 0 ? await stream.target.send(batch, abort) : undefined
    if (!(await confirmBatch(ctx.db, claim, { upTo, now: ctx.now() }))) return false
    reportSuccess(ctx, { batch, rejection, state, target: claim.name })
    return true
  } catch (error) {
    // A batch that was aborted because this process stops or lost its lease is not a failure of the target.
    if (error instanceof TargetError && !abort.aborted) await saveFailure(ctx, { claim, state, error })
    else if (!abort.aborted) throw error
    return false
  }
}

/** Reads the next batch, and saves its positions first, so that a repetition sends the same ones. */
async function prepareBatch(
  ctx: Ctx,
  { target }: Stream,
  { claim, state }: { claim: Claim; state: StreamState },
): Promise<Batch | undefined> {
  const { position, anchor, batchEnd } = state
  const after = Math.max(position, anchor)
  if (anchor > position) {
    ctx.log.error(
      { target: claim.name, from: position + 1, to: anchor },
      'audit events were deleted because of their age before they were sent',
    )
  }
  const upTo =
    batchEnd !== null && batchEnd > after ? batchEnd : await findBatchEnd(ctx.db, { after, ...target.limits })
  // Events up to the anchor are gone, and none are left.
  if (upTo === undefined && after > position) {
    await confirmBatch(ctx.db, claim, { upTo: after, now: ctx.now() })
  }
  if (upTo === undefined || !(await updateBatch(ctx.db, claim, { after, upTo }))) return undefined
  const events = (await listStreamEntries(ctx.db, { after, upTo })).map(toStreamEvent)
  if (events.length < upTo - after) {
    ctx.log.error(
      { target: claim.name, from: after + 1, to: upTo, missing: upTo - after - events.length },
      'audit events are missing in the database: run latchkey audit verify',
    )
  }
  return { firstPosition: after + 1, lastPosition: upTo, events }
}

interface Success {
  target: string
  batch: Batch
  rejection: Rejection | undefined
  state: StreamState
}

function reportSuccess(ctx: Ctx, { target, batch, rejection, state }: Success): void {
  ctx.metrics.count(ATTEMPTS, { target, outcome: rejection ? 'rejected' : 'delivered' })
  if (rejection) {
    const { firstPosition: from, lastPosition: to } = batch
    ctx.log.error({ target, from, to, ...rejection }, 'the target dropped audit events; they are not sent again')
  }
  if (state.failures > 0) ctx.log.info({ target }, 'audit events are sent again')
}

async function saveFailure(
  ctx: Ctx,
  { claim, state, error }: { claim: Claim; state: StreamState; error: TargetError },
): Promise<void> {
  const failures = state.failures + 1
  const delay = toRetryDelay(failures, error.retryAfterMs)
  const { name: target } = claim
  ctx.metrics.count(ATTEMPTS, { target, outcome: 'failed' })
  // One line for each reason, not for each attempt.
  if (state.lastError !== error.message) {
    ctx.log.warn({ target, reason: error.message }, 'audit events could not be sent and will be sent again')
  }
  const retryAt = new Date(ctx.now().getTime() + delay)
  await markFailed(ctx.db, claim, { failures, retryAt, error: error.message })
}
