import type { Ctx } from '../context.ts'
import { clearCookie, readCookie, setCookie } from '../http/cookies.ts'
import type { Exchange } from '../http/exchange.ts'
import { hashSecret, isSecret, newSecret } from '../lib/secrets.ts'
import { deletePending, findPendingBySecret, insertPending } from './store.ts'

const COOKIE = 'latchkey_sign_in'
const SECONDS = 10 * 60

/** Somebody who has shown a first factor in this browser, and nothing more yet. */
export interface Pending {
  userId: string
  amr: string[]
  /** When they proved that, if not just now. */
  authTime: Date | undefined
  /** It is not known that they proved it then. */
  authTimeAssumed: boolean
  restores: boolean
}

export async function rememberPending(ctx: Ctx, { reply }: Exchange, pending: Pending): Promise<void> {
  const secret = newSecret()
  const { userId, amr, authTime, authTimeAssumed, restores } = pending
  const expires_at = new Date(ctx.now().getTime() + SECONDS * 1000)
  await insertPending(ctx.db, {
    secret_hash: hashSecret(secret),
    user_id: userId,
    amr,
    auth_time: authTime ?? null,
    auth_time_assumed: authTimeAssumed,
    restores,
    expires_at,
  })
  setCookie(reply, ctx.config, { name: COOKIE, value: secret, maxAgeSeconds: SECONDS })
}

function readSecret(ctx: Ctx, { request }: Exchange): Buffer | undefined {
  const secret = readCookie(request, ctx.config, COOKIE)
  return secret !== undefined && isSecret(secret) ? hashSecret(secret) : undefined
}

export async function findPending(ctx: Ctx, exchange: Exchange): Promise<Pending | undefined> {
  const hash = readSecret(ctx, exchange)
  const found = hash && (await findPendingBySecret(ctx.db, hash, ctx.now()))
  if (!found) return undefined
  const { user_id: userId, amr, auth_time, auth_time_assumed: authTimeAssumed, restores } = found
  return { userId, amr, authTime: auth_time ?? undefined, authTimeAssumed, restores }
}

/** Uses it up; false when it was gone, so that of two answers at once only one counts. */
export async function usePending(ctx: Ctx, exchange: Exchange): Promise<boolean> {
  const hash = readSecret(ctx, exchange)
  return hash !== undefined && deletePending(ctx.db, hash)
}

export const forgetPending = (ctx: Ctx, { request, reply }: Exchange): void => {
  if (readCookie(request, ctx.config, COOKIE) !== undefined) clearCookie(reply, ctx.config, COOKIE)
}
