import type { Ctx } from '../context.ts'
import type { Exchange } from '../http/exchange.ts'
import { findUser, type User } from '../users/service.ts'
import { type Arrival, arrive } from './arrival.ts'
import type { Journey } from './journey.ts'
import { findPending, usePending } from './pending.ts'

/** Whoever has signed in, in this browser, to an account that is about to be deleted. */
export async function findReturning(ctx: Ctx, exchange: Exchange): Promise<User | undefined> {
  const pending = await findPending(ctx, exchange)
  const user = pending && (await findUser(ctx.db, pending.userId))
  return user && !user.disabled && user.deletion_requested_at !== null ? user : undefined
}

/** They want it back. A second factor may still be asked for, before anything changes. */
export async function returnHome(
  ctx: Ctx,
  exchange: Exchange,
  journey: Journey | undefined,
): Promise<Arrival | undefined> {
  const pending = await findPending(ctx, exchange)
  const user = await findReturning(ctx, exchange)
  if (!pending || !user || !(await usePending(ctx, exchange))) return undefined
  const { amr, authTime, authTimeAssumed } = pending
  return arrive(ctx, exchange, { user, amr, authTime, authTimeAssumed, restores: true, journey })
}
