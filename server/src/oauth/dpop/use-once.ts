import type { Ctx } from '../../context.ts'
import { createBatcher } from '../../lib/concurrency/batcher.ts'
import { insertProofs, type UsedProof } from './store.ts'

const MAX_BATCH_SIZE = 64
const MAX_QUEUE_LENGTH = 1_000
/** A batch starts as soon as the last one ends, or after this time if the last one is slow. */
const MAX_BLOCKING_MS = 250

type Batcher = (proof: UsedProof) => Promise<boolean | undefined>
const batchers = new WeakMap<Ctx, Batcher>()

/** Uses up a proof; false if it was used before, on any node. Concurrent requests share a statement and its commit. */
export async function useOnce(ctx: Ctx, proof: UsedProof): Promise<boolean> {
  const isFirstUse = await batcherOf(ctx)(proof)
  if (isFirstUse !== undefined) return isFirstUse
  const [inserted = false] = await insertProofs(ctx.db, [proof])
  return inserted
}

function batcherOf(ctx: Ctx): Batcher {
  const batcher =
    batchers.get(ctx) ??
    createBatcher((batch: UsedProof[]) => insertProofs(ctx.db, batch), {
      maxBatchSize: MAX_BATCH_SIZE,
      maxQueueLength: MAX_QUEUE_LENGTH,
      minIntervalMs: MAX_BLOCKING_MS,
      isEager: true,
    })
  batchers.set(ctx, batcher)
  return batcher
}
