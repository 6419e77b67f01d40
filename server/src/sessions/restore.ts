import type { Ctx } from '../context.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { findUser, type User } from '../users/service.ts'
import { establishSession, type SignInResult } from './establish-session.ts'
import type { LoginTransaction } from './login-transaction.ts'
import { findPending, usePending } from './pending-sign-ins.ts'

/** Finds the user of a pending sign-in whose account is scheduled for deletion. */
export async function findRestorableUser(ctx: Ctx, exchange: Exchange): Promise<User | undefined> {
  const pending = await findPending(ctx, exchange)
  const user = pending && (await findUser(ctx.db, pending.userId))
  return user && !user.disabled && user.deletion_requested_at !== null ? user : undefined
}

/** Cancels the deletion and signs in. A second factor, if there is one, is required first. */
export async function restoreAndSignIn(
  ctx: Ctx,
  exchange: Exchange,
  login: LoginTransaction | undefined,
): Promise<SignInResult | undefined> {
  const pending = await findPending(ctx, exchange)
  const user = await findRestorableUser(ctx, exchange)
  if (!pending || !user || !(await usePending(ctx, exchange))) return undefined
  const { amr, authTime, authTimeAssumed } = pending
  return establishSession(ctx, exchange, {
    user,
    amr,
    authTime,
    authTimeAssumed,
    cancelsDeletion: true,
    login,
  })
}
