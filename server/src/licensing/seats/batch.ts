import { prepareAuditInsert } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { isLastingConnectionError } from '../../db/connection-errors.ts'
import { openDurabilityCheck } from '../../db/durable.ts'
import { isRolledBack } from '../../db/errors.ts'
import { createBatcher } from '../../lib/concurrency/batcher.ts'
import { toAuditEvent } from './audit-events.ts'
import { type ChangedSeat, changeSeats, type NewSeat } from './grant-store.ts'
import { actorText, type GrantContext, untilDurableAndKnown } from './seat-transaction.ts'

/**
 * Grants and revocations by machines that arrive at about the same time share one statement, whatever their tenants. It
 * costs far less per seat than a transaction for each. What a batch cannot do is left to such a transaction, which also
 * finds the reason of a refusal.
 */

const MAX_BATCH_SIZE = 64
/** Requests beyond this length use a transaction, which has a queue of its own for each tenant. */
const MAX_QUEUE_LENGTH = 1_000
/** A batch starts as soon as the last one ends, or after this time if the last one is slow. */
const MAX_BLOCKING_MS = 250
/** The same for batches of one tenant. It is longer than the lock timeout, so they run one after the other. */
const MAX_BLOCKING_MS_OF_TENANT = 30_000

export interface BatchRequest {
  action: 'grant' | 'revoke'
  context: GrantContext
  /** For a revocation, `id` and `licenseTypeId` are ignored. */
  seat: Omit<NewSeat, 'kind'>
}

type BatchResult = Pick<ChangedSeat, 'seatId' | 'licenseTypeName' | 'revision'>

interface Outcome {
  /** Undefined if nothing was done. */
  result: BatchResult | undefined
  /** The tenant was locked, suspended or deleted, so nothing was done. */
  isTenantSkipped: boolean
  /** Settles when the change is on disk and the caches of this process have applied it. */
  durable: Promise<unknown>
}

type Batcher = (request: BatchRequest) => Promise<Outcome | undefined>

interface Batchers {
  all: Batcher
  /** One for each tenant whose lock is being waited for. */
  byTenant: Map<string, { batcher: Batcher; pendingRequests: number }>
}

const batchersByCtx = new WeakMap<Ctx, Batchers>()

/**
 * Undefined if the change must be made in a transaction. If another transaction has locked the tenant, all requests for
 * that tenant wait for the lock together: one by one they would hold it far longer.
 */
export async function changeInBatch(ctx: Ctx, request: BatchRequest): Promise<BatchResult | undefined> {
  // The role of a person is checked again in a transaction.
  if (request.context.byRole) return undefined
  const { all, byTenant } = batchersOf(ctx)
  const isLocked = byTenant.has(request.seat.tenantId)
  const first = isLocked ? undefined : await all(request)
  // May be locked: try again and wait for the lock.
  const outcome = isLocked || first?.isTenantSkipped ? await batchForTenant(ctx, byTenant, request) : first
  if (outcome?.result) await outcome.durable
  return outcome?.result
}

function batchersOf(ctx: Ctx): Batchers {
  const batchers = batchersByCtx.get(ctx) ?? {
    all: createBatcher((batch: BatchRequest[]) => runBatch(ctx, batch, { waitForTenant: false }), {
      maxBatchSize: MAX_BATCH_SIZE,
      maxQueueLength: MAX_QUEUE_LENGTH,
      minIntervalMs: MAX_BLOCKING_MS,
      isEager: true,
    }),
    byTenant: new Map(),
  }
  batchersByCtx.set(ctx, batchers)
  return batchers
}

async function batchForTenant(ctx: Ctx, byTenant: Batchers['byTenant'], request: BatchRequest) {
  const { tenantId } = request.seat
  const entry = byTenant.get(tenantId) ?? {
    batcher: createBatcher((batch: BatchRequest[]) => runBatch(ctx, batch, { waitForTenant: true }), {
      maxBatchSize: MAX_BATCH_SIZE,
      maxQueueLength: MAX_QUEUE_LENGTH,
      minIntervalMs: MAX_BLOCKING_MS_OF_TENANT,
      isEager: true,
    }),
    pendingRequests: 0,
  }
  byTenant.set(tenantId, entry)
  entry.pendingRequests += 1
  try {
    return await entry.batcher(request)
  } finally {
    entry.pendingRequests -= 1
    if (entry.pendingRequests === 0) byTenant.delete(tenantId)
  }
}

interface Locking {
  /** All requests are of one tenant, and its lock is waited for. */
  waitForTenant: boolean
}

async function runBatch(ctx: Ctx, batch: BatchRequest[], locking: Locking): Promise<Outcome[]> {
  const durability = await openDurabilityCheck(ctx.db)
  const changed = await changeAll(ctx, batch, locking)
  const durable = [...changed.values()].some(({ isTenantSkipped }) => !isTenantSkipped)
    ? untilDurableAndKnown(ctx, durability)
    : Promise.resolve()
  return batch.map((request) => {
    const one = changed.get(request)
    const isTenantSkipped = one?.isTenantSkipped ?? false
    return { result: isTenantSkipped ? undefined : one, isTenantSkipped, durable }
  })
}

/** The requests that were carried out, and those whose tenant was skipped. */
async function changeAll(
  ctx: Ctx,
  batch: BatchRequest[],
  { waitForTenant }: Locking,
): Promise<Map<BatchRequest, Omit<ChangedSeat, 'index'>>> {
  const requests = firstOfEachPerson(batch)
  const changes = requests.map(({ action, seat, context }) => ({
    action,
    seat,
    actor: actorText(context),
  }))
  const auditInsert = await prepareAuditInsert(ctx, requests.map(toBatchEvent))
  try {
    const changed = await changeSeats(ctx.db, changes, { now: ctx.now(), auditInsert, waitForTenant })
    return new Map(changed.map(({ index, ...one }) => [requests[index] as BatchRequest, one]))
  } catch (error) {
    // Lock timeout or lost connection: single transactions would fail in the same way.
    if (waitForTenant && isLastingConnectionError(error)) throw error
    // It is unknown whether the statement was committed.
    if (!isRolledBack(error)) throw error
    // The statement was rolled back, so nothing was done: each request tries a transaction.
    return new Map()
  }
}

/** A second request about the same person must see what the first one did, so it uses a transaction. */
function firstOfEachPerson(batch: BatchRequest[]): BatchRequest[] {
  const firsts = new Map<string, BatchRequest>()
  for (const request of batch) {
    const { tenantId, userId } = request.seat
    const key = `${tenantId}:${userId}`
    if (!firsts.has(key)) firsts.set(key, request)
  }
  return [...firsts.values()]
}

/** For a revocation the statement itself adds the license type to the details. */
const toBatchEvent = ({ action, context, seat }: BatchRequest) =>
  toAuditEvent({ action: action === 'grant' ? 'license.granted' : 'license.revoked', context, seat })
