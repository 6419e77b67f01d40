import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { queueMail } from '../mail/outbox.ts'
import { unusableHash } from '../users/passwords.ts'
import { changeUser, type User } from '../users/service.ts'
import { forgetDevices } from './devices-store.ts'
import { createLink, revokeLinks } from './mailed-links.ts'
import { endAllUserSessions } from './overview.ts'

/** Password changes that an administrator starts: the first password of an account, or a new one. */

/**
 * Removes a user's password, ends their sessions and pending links, and mails a link to choose a new one. Returns
 * whether the mail was queued.
 */
export async function invalidatePassword(ctx: Ctx, tx: Tx, user: User): Promise<boolean> {
  const { id: userId } = user
  // A user without a password and without a verified address would count as a placeholder account.
  await changeUser(ctx, tx, user, { password_hash: user.email_verified ? null : unusableHash() })
  await revokeLinks(tx, { userId })
  await endAllUserSessions(ctx, tx, userId)
  await forgetDevices(tx, userId)
  // The link is useless while the account is disabled or password sign-in is off.
  const canUseLink = !user.disabled && user.password_sign_in
  if (canUseLink) await mailPasswordLink(ctx, tx, user, 'password-ended')
  return canUseLink
}

/** Mails the link for the first password of an account that an administrator created. */
export const mailFirstPasswordLink = (ctx: Ctx, tx: Tx, user: User): Promise<void> =>
  mailPasswordLink(ctx, tx, user, 'first-password')

/** Uses the longer lifetime of email links, because the user did not request this mail. */
async function mailPasswordLink(
  ctx: Ctx,
  tx: Tx,
  { id: userId, email }: User,
  kind: 'password-ended' | 'first-password',
): Promise<void> {
  const link = {
    purpose: 'reset-password',
    userId,
    email,
    passwordHash: null,
    lifetime: 'emailLink',
  } as const
  const token = await createLink(ctx, tx, link)
  const values = { validity: ctx.config.lifetimes.emailLink }
  await queueMail(ctx, tx, email, { kind, values, path: `/reset-password?token=${token}` })
}
