import type { Ctx } from '../context.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { type AwaitedLink, claimResend, endWait, findAwaitedLink, saveAwaitedLink } from './awaited-links.ts'
import { establishSession, nextPage } from './establish-session.ts'
import type { LoginTransaction } from './login-transaction.ts'
import { requestPasswordReset, resetPassword } from './password-reset.ts'

const PURPOSE = 'reset-password'

export const findAwaitedReset = (ctx: Ctx, exchange: Exchange): Promise<AwaitedLink | undefined> =>
  findAwaitedLink(ctx, exchange, PURPOSE)

/** Asks for a link in this browser, which may then sign in with the new password. It waits for unknown addresses, too. */
export async function beginReset(
  ctx: Ctx,
  exchange: Exchange,
  { email: input, login }: { email: string; login: LoginTransaction | undefined },
): Promise<AwaitedLink> {
  const email = await requestPasswordReset(ctx, { email: input, request: exchange.request, login })
  return saveAwaitedLink(ctx, exchange, { purpose: PURPOSE, email, login })
}

/** Asks for another link. Returns false if the last one was asked for just now. */
export async function resendReset(ctx: Ctx, exchange: Exchange, awaited: AwaitedLink): Promise<boolean> {
  const { email, login } = awaited
  if (!(await claimResend(ctx, exchange, awaited))) return false
  await requestPasswordReset(ctx, { email, request: exchange.request, login })
  return true
}

/**
 * Sets the password. If the link was asked for in this browser, it signs in, up to a second factor, and returns the page
 * where the person continues. A browser that somebody else has sent the link to is not signed in.
 */
export async function finishReset(
  ctx: Ctx,
  exchange: Exchange,
  { token, newPassword }: { token: string; newPassword: string },
): Promise<{ email: string; next: string | undefined }> {
  const user = await resetPassword(ctx, { token, newPassword, request: exchange.request })
  const { email } = user
  const awaited = await findAwaitedReset(ctx, exchange)
  if (awaited?.email !== email || !user.password_sign_in) return { email, next: undefined }
  if (!(await endWait(ctx, exchange, awaited))) return { email, next: undefined }
  const { login } = awaited
  const result = await establishSession(ctx, exchange, { user, amr: ['pwd'], login })
  return { email, next: nextPage(ctx, result, login) }
}
