import type { Ctx } from '../../context.ts'
import { falseIfReferenceGone, isRolledBack } from '../../db/errors.ts'
import { createBatcher } from '../../lib/concurrency/batcher.ts'
import { type Renewal, renewRefreshToken } from './renewal-store.ts'
import { type Rotation, rotateRefreshTokens } from './store.ts'

const MAX_BATCH_SIZE = 32
const MAX_QUEUE_LENGTH = 1_000
const INTERVAL_MS = 8

interface Pending {
  rotation: Rotation
  /** Resolves when the new tokens are signed. */
  signed: Promise<unknown>
}

type Batcher = (pending: Pending) => Promise<boolean | undefined>
const batchers = new WeakMap<Ctx, Batcher>()

/**
 * Uses up a refresh token and returns whether it did. Concurrent requests share a statement and its commit, which are
 * the most expensive part of a refresh. A locked grant would delay its batch, so it is skipped and retried alone.
 */
export async function rotate(ctx: Ctx, pending: Pending): Promise<boolean> {
  return (await batcherOf(ctx)(pending)) || rotateAlone(ctx, pending.rotation)
}

/** Keeps a refresh token in use. Returns false if it is not valid anymore. */
export const renew = (ctx: Ctx, renewal: Renewal): Promise<boolean> =>
  falseIfReferenceGone(() => renewRefreshToken(ctx.db, renewal))

/** A tenant that is deleted takes the grant along. */
const rotateAlone = (ctx: Ctx, rotation: Rotation): Promise<boolean> =>
  falseIfReferenceGone(async () => {
    const { processNumber: process } = ctx.changes
    const [done = false] = await rotateRefreshTokens(ctx.db, [rotation], { process, skipLocked: false })
    return done
  })

function batcherOf(ctx: Ctx): Batcher {
  const batcher =
    batchers.get(ctx) ??
    createBatcher((batch: Pending[]) => rotateBatch(ctx, batch), {
      maxBatchSize: MAX_BATCH_SIZE,
      maxQueueLength: MAX_QUEUE_LENGTH,
      minIntervalMs: INTERVAL_MS,
      waitUntilDue: ({ signed }) => signed,
    })
  batchers.set(ctx, batcher)
  return batcher
}

/** A rolled-back statement changed nothing, so each rotation is retried alone. */
async function rotateBatch(ctx: Ctx, batch: Pending[]): Promise<boolean[]> {
  const rotations = batch.map(({ rotation }) => rotation)
  try {
    const { processNumber: process } = ctx.changes
    return await rotateRefreshTokens(ctx.db, rotations, { process, skipLocked: true })
  } catch (error) {
    if (!isRolledBack(error)) throw error
    return batch.map(() => false)
  }
}
