import type { Ctx } from '../context.ts'
import type { Db } from '../db/open.ts'
import { queueMail } from '../mail/outbox.ts'
import { isOverMailQuota } from '../users/mail-quota.ts'
import { lockUser, type User } from '../users/service.ts'
import { createLink, findPendingMail } from './mailed-links.ts'
import { requireMailQuota, requireResendTime } from './resend-time.ts'
import { verificationMail } from './sign-up.ts'
import { deleteLinksWithPassword } from './store.ts'

const PURPOSE = 'verify-email'

/**
 * Mails another verification link in place of the previous one. If the address is contested, the link requires this
 * user's password.
 */
export async function resendVerification(ctx: Ctx, user: User): Promise<void> {
  if (user.email_verified || (await isOverMailQuota(ctx, 'sign-up', user.email))) return
  await mailLink(ctx, user, { isPaced: false })
}

/** Does the same for the button of a page. Throws RATE_LIMITED if it is too early for another mail. */
export async function resendVerificationOnPage(ctx: Ctx, user: User): Promise<void> {
  if (user.email_verified) return
  requireResendTime(await secondsUntilVerification(ctx, ctx.db, user))
  await requireMailQuota(ctx, 'sign-up', user.email)
  await mailLink(ctx, user, { isPaced: true })
}

/** The seconds until the page mails the user another verification link; 0: now. */
export async function secondsUntilVerification(
  ctx: Ctx,
  db: Db,
  { id: userId, password_hash: passwordHash }: Pick<User, 'id' | 'password_hash'>,
): Promise<number> {
  const pending = await findPendingMail(ctx, db, { userId, purpose: PURPOSE, passwordHash })
  return pending?.seconds ?? 0
}

async function mailLink(ctx: Ctx, { id: userId, email }: User, { isPaced }: { isPaced: boolean }): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    // Locked, because somebody else may claim the address, or ask for another mail, at this moment.
    const locked = await lockUser(tx, userId)
    if (!locked || locked.email_verified || locked.email !== email) return
    if (isPaced) requireResendTime(await secondsUntilVerification(ctx, tx, locked))
    const { contested, password_hash } = locked
    await deleteLinksWithPassword(tx, { userId, purpose: PURPOSE, passwordHash: password_hash })
    const passwordHash = contested ? password_hash : null
    const token = await createLink(ctx, tx, { purpose: PURPOSE, userId, email, passwordHash })
    await queueMail(ctx, tx, email, verificationMail(ctx, token))
  })
}
