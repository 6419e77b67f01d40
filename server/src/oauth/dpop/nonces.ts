import type { Ctx } from '../../context.ts'
import type { Exchange } from '../../http/routing/exchange.ts'
import { sealText, unsealText } from '../../lib/seal.ts'

/**
 * Nonces for DPoP proofs (RFC 9449 §8). A nonce is the sealed time of its creation, so that every node can check it and
 * nothing is stored.
 */

const PURPOSE = 'dpop-nonce'
const LIFETIME_MS = 5 * 60_000
/** How long a process hands out the same nonce. */
const RENEWAL_MS = 60_000

const latest = new WeakMap<Ctx, { nonce: string; createdAt: number }>()

function currentNonce(ctx: Ctx): string {
  const now = ctx.now().getTime()
  const known = latest.get(ctx)
  if (known && Math.abs(now - known.createdAt) < RENEWAL_MS) return known.nonce
  const nonce = sealText(ctx.keys, PURPOSE, String(now))
  latest.set(ctx, { nonce, createdAt: now })
  return nonce
}

/** Tells the sender of a proof the nonce for its next one, if the instance requires nonces. */
export function offerNonce(ctx: Ctx, { request, reply }: Exchange): void {
  if (ctx.config.dpopNonce !== 'REQUIRED' || request.headers.dpop === undefined) return
  reply.header('DPoP-Nonce', currentNonce(ctx))
}

/** Whether a proof has the nonce that the instance requires. Without this requirement no nonce was ever handed out. */
export function isNonceValid(ctx: Ctx, nonce: unknown): boolean {
  if (ctx.config.dpopNonce !== 'REQUIRED') return true
  const createdAt = unsealText(ctx.keys, PURPOSE, typeof nonce === 'string' ? nonce : undefined)
  return createdAt !== undefined && Math.abs(ctx.now().getTime() - Number(createdAt)) <= LIFETIME_MS
}
