import type { Ctx } from '../context.ts'
import { clearCookie, readCookie, setCookie } from '../http/request/cookies.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { hashSecret, isSecret, newSecret } from '../lib/secrets.ts'
import { deletePending, findPendingBySecret, insertPending } from './store.ts'

const COOKIE = 'latchkey_sign_in'
const MAX_AGE_SECONDS = 10 * 60

/** A sign-in in this browser that still needs another step. */
export interface PendingSignIn {
  userId: string
  amr: string[]
  /** When the user authenticated, if not now. */
  authTime: Date | undefined
  /** The provider sent no auth_time. */
  authTimeAssumed: boolean
  cancelsDeletion: boolean
}

export async function savePending(ctx: Ctx, { reply }: Exchange, pending: PendingSignIn): Promise<void> {
  const secret = newSecret()
  const { userId, amr, authTime, authTimeAssumed, cancelsDeletion } = pending
  const expires_at = new Date(ctx.now().getTime() + MAX_AGE_SECONDS * 1000)
  await insertPending(ctx.db, {
    secret_hash: hashSecret(secret),
    user_id: userId,
    amr,
    auth_time: authTime ?? null,
    auth_time_assumed: authTimeAssumed,
    restores: cancelsDeletion,
    expires_at,
  })
  setCookie(reply, ctx.config, { name: COOKIE, value: secret, maxAgeSeconds: MAX_AGE_SECONDS })
}

function readSecret(ctx: Ctx, { request }: Exchange): Buffer | undefined {
  const secret = readCookie(request, ctx.config, COOKIE)
  return secret !== undefined && isSecret(secret) ? hashSecret(secret) : undefined
}

export async function findPending(ctx: Ctx, exchange: Exchange): Promise<PendingSignIn | undefined> {
  const hash = readSecret(ctx, exchange)
  const found = hash && (await findPendingBySecret(ctx.db, hash, ctx.now()))
  if (!found) return undefined
  const { user_id: userId, amr, auth_time, auth_time_assumed: authTimeAssumed, restores: cancelsDeletion } = found
  return { userId, amr, authTime: auth_time ?? undefined, authTimeAssumed, cancelsDeletion }
}

/** Uses it up. Returns false if it was gone, so that only one of two concurrent requests counts. */
export async function usePending(ctx: Ctx, exchange: Exchange): Promise<boolean> {
  const hash = readSecret(ctx, exchange)
  return hash !== undefined && deletePending(ctx.db, hash)
}

export const clearPendingCookie = (ctx: Ctx, { request, reply }: Exchange): void => {
  if (readCookie(request, ctx.config, COOKIE) !== undefined) clearCookie(reply, ctx.config, COOKIE)
}
