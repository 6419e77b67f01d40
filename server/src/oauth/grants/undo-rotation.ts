import { setTimeout as sleep } from 'node:timers/promises'
import type { Ctx } from '../../context.ts'
import { retryWhileDisconnected } from '../../db/retry.ts'
import { OAuthError } from '../../errors.ts'
import { undoRotation, undoRotationOfDeadProcess } from './undo-rotation-store.ts'

/**
 * If the database connection is lost during a refresh, the rotation may or may not be committed. The client gets 503
 * and retries with the same token, which would look like token reuse and revoke the family. The successor was never
 * sent, so the rotation is undone as soon as the database is reachable.
 */

interface Refresh {
  /** The hash of the token that was presented. */
  hash: Buffer
  /** The hash of its successor, which was never sent. */
  successor: Buffer
  /** The key that the grant was bound to before. */
  jkt: string | null
}

/** How long an outage may last. After that the token counts as used. */
const MAX_OUTAGE_MS = 60_000
const RETRY = { forMs: MAX_OUTAGE_MS, everyMs: 200 }

const pendingUndos = new WeakMap<Ctx, Map<string, Promise<void>>>()

function pendingUndosOf(ctx: Ctx): Map<string, Promise<void>> {
  const undos = pendingUndos.get(ctx) ?? new Map<string, Promise<void>>()
  pendingUndos.set(ctx, undos)
  return undos
}

/** Runs a refresh and undoes its rotation if it fails, but not if it is refused. */
export async function undoRotationOnFailure<T>(ctx: Ctx, refresh: Refresh, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OAuthError)) scheduleUndo(ctx, refresh)
    throw error
  }
}

function scheduleUndo(ctx: Ctx, refresh: Refresh): void {
  const key = refresh.hash.toString('base64url')
  const undos = pendingUndosOf(ctx)
  // Undos of the same token run in order.
  const undo = (undos.get(key) ?? Promise.resolve())
    .then(() => retryWhileDisconnected(() => undoRotation(ctx.db, refresh), RETRY))
    .catch((err) => ctx.log.warn({ err }, 'a failed refresh token rotation could not be undone'))
    .finally(() => {
      if (undos.get(key) === undo) undos.delete(key)
    })
  undos.set(key, undo)
}

/** Waits until this process has undone a failed rotation of the token. */
export async function waitForPendingUndo(ctx: Ctx, hash: Buffer): Promise<void> {
  await pendingUndosOf(ctx).get(hash.toString('base64url'))
}

/** How long other nodes need to undo their rotations once the database is reachable. */
const MAX_WAIT_MS = 3_000
const POLL_MS = 100

/**
 * Waits until a used token is valid again. If the database was unreachable recently, another node may be about to undo
 * its rotation. If that node was killed, the rotation is undone here.
 */
export async function waitForUndoElsewhere(ctx: Ctx, { hash, usedAt, reload }: UsedToken): Promise<void> {
  const now = ctx.now()
  const usedAfter = new Date(now.getTime() - MAX_OUTAGE_MS)
  if (usedAt <= usedAfter) return
  if (ctx.changes.secondsSinceLoss() * 1_000 <= MAX_OUTAGE_MS && (await waitUntilValid(reload))) return
  // By now every live process has announced itself.
  if (await undoRotationOfDeadProcess(ctx.db, { hash, now, usedAfter })) await reload()
}

interface UsedToken {
  hash: Buffer
  usedAt: Date
  /** Reads the token again, and returns whether it is valid. */
  reload(): Promise<boolean>
}

async function waitUntilValid(reload: () => Promise<boolean>): Promise<boolean> {
  for (let waited = 0; waited < MAX_WAIT_MS; waited += POLL_MS) {
    await sleep(POLL_MS)
    if (await reload()) return true
  }
  return false
}
