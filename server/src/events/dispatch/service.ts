import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ctx } from '../../context.ts'
import { defineJob } from '../../jobs/job.ts'
import { abortAfterGrace } from '../../lib/concurrency/grace-period.ts'
import { createGuard } from '../../lib/outgoing/guard.ts'
import { leaseUntil, processPartition } from './partition.ts'
import { claimPartition, type Partition, postponePartition } from './store.ts'

/** Partitions that one node processes concurrently, in total and for one tenant or instance webhook. */
const MAX_PARTITIONS = 16
const MAX_PARTITIONS_PER_SHARE = 4
/** The interval in which a node looks for due partitions, while it processes some and while it does not. */
const POLL_MS = 250
const IDLE_POLL_MS = 1_000
/** How long running requests may continue after the node was asked to stop. */
const GRACE_MS = 2_000

/** The delay before a partition is retried after an internal error. */
const INTERNAL_RETRY_MS = 5_000

/** The partitions that this node is processing. */
type Running = Map<Promise<void>, Partition>

/**
 * Sends pending deliveries. It runs on every node. A node leases a partition in the database before it processes it, so
 * that other nodes take over the partitions of a killed node when the leases expire.
 */
export async function dispatch(ctx: Ctx, stop: AbortSignal): Promise<void> {
  const guard = createGuard(ctx.config.webhooks)
  const running: Running = new Map()
  const grace = abortAfterGrace(stop, GRACE_MS)
  const signals = { stop, abort: grace.signal }
  try {
    do {
      await startPartitions(ctx, running, (partition) => processPartition(ctx, guard, partition, signals))
      if (running.size > 0) await Promise.race([...running.keys(), pause(stop)])
    } while (running.size > 0 && !stop.aborted)
  } finally {
    await Promise.all(running.keys())
    grace.dispose()
  }
}

const pause = (stop: AbortSignal) => sleep(POLL_MS, undefined, { signal: stop }).catch(() => {})

/** Claims due partitions up to the limit. */
async function startPartitions(
  ctx: Ctx,
  running: Running,
  work: (partition: Partition) => Promise<void>,
): Promise<void> {
  while (running.size < MAX_PARTITIONS) {
    const now = ctx.now()
    const claim = { holder: randomUUID(), fullShares: listFullShares(running), now, until: leaseUntil(now) }
    const partition = await claimPartition(ctx.db, claim)
    if (!partition) return
    const task: Promise<void> = work(partition)
      .catch((err: unknown) => recover(ctx, partition, err))
      .finally(() => running.delete(task))
    running.set(task, partition)
  }
}

/** Retries a partition soon after an internal error. If postponing fails too, the lease expires. */
async function recover(ctx: Ctx, partition: Partition, err: unknown): Promise<void> {
  ctx.log.warn({ err, webhookId: partition.webhookId }, 'webhook partition failed')
  await postponePartition(ctx.db, partition, new Date(ctx.now().getTime() + INTERNAL_RETRY_MS)).catch(() => {})
}

/** Shares at their limit, so that a slow receiver does not block the others. */
function listFullShares(running: Running): string[] {
  const shares = [...running.values()].map(({ share }) => share)
  return [...new Set(shares)].filter((id) => shares.filter((other) => other === id).length >= MAX_PARTITIONS_PER_SHARE)
}

export const dispatchWebhooks = defineJob<AbortSignal>({
  name: 'dispatch_webhooks',
  everyMs: IDLE_POLL_MS,
  wakeOn: 'webhook_cursor',
  run: dispatch,
})
