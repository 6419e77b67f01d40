import type { Ctx } from '../context.ts'
import { queueMail } from '../mail/outbox.ts'
import { isTired } from '../users/recipients.ts'
import type { User } from '../users/service.ts'
import { createLink } from './mailed-links.ts'
import { verificationLetter } from './sign-up.ts'
import { deleteClaim } from './store.ts'

const PURPOSE = 'verify-email'

/**
 * Mails a signed-in person another link to confirm their address, in place of the one before. Where others have
 * claimed the address too, it works with this person's password only.
 */
export async function resendVerification(ctx: Ctx, user: User): Promise<void> {
  const { id: userId, email, email_verified, contested, password_hash } = user
  if (email_verified || (await isTired(ctx, 'sign-up', email))) return
  await ctx.db.transaction().execute(async (tx) => {
    await deleteClaim(tx, { userId, purpose: PURPOSE, passwordHash: password_hash })
    const passwordHash = contested ? password_hash : null
    const token = await createLink(ctx, tx, { purpose: PURPOSE, userId, email, passwordHash })
    await queueMail(ctx, tx, email, verificationLetter(token))
  })
}
