import type { Ctx } from '../context.ts'
import { queueMail } from '../mail/outbox.ts'
import { isOverMailQuota } from '../users/mail-quota.ts'
import { lockUser, type User } from '../users/service.ts'
import { createLink } from './mailed-links.ts'
import { verificationMail } from './sign-up.ts'
import { deleteLinksWithPassword } from './store.ts'

const PURPOSE = 'verify-email'

/**
 * Mails another verification link in place of the previous one. If the address is contested, the link requires this
 * user's password.
 */
export async function resendVerification(ctx: Ctx, user: User): Promise<void> {
  const { id: userId, email } = user
  if (user.email_verified || (await isOverMailQuota(ctx, 'sign-up', email))) return
  await ctx.db.transaction().execute(async (tx) => {
    // Locked, because somebody else may claim the address at this moment.
    const locked = await lockUser(tx, userId)
    if (!locked || locked.email_verified || locked.email !== email) return
    const { contested, password_hash } = locked
    await deleteLinksWithPassword(tx, { userId, purpose: PURPOSE, passwordHash: password_hash })
    const passwordHash = contested ? password_hash : null
    const token = await createLink(ctx, tx, { purpose: PURPOSE, userId, email, passwordHash })
    await queueMail(ctx, tx, email, verificationMail(ctx, token))
  })
}
