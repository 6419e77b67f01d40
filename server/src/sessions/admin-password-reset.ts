import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { toDurationText } from '../lib/duration-text.ts'
import type { MailContent } from '../mail/content.tsx'
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
  if (canUseLink) await mailPasswordLink(ctx, tx, user, passwordEndedMail)
  return canUseLink
}

/** Mails the link for the first password of an account that an administrator created. */
export const mailFirstPasswordLink = (ctx: Ctx, tx: Tx, user: User): Promise<void> =>
  mailPasswordLink(ctx, tx, user, firstPasswordMail)

/** Uses the longer lifetime of email links, because the user did not request this mail. */
async function mailPasswordLink(
  ctx: Ctx,
  tx: Tx,
  { id: userId, email }: User,
  toMail: (ctx: Ctx, token: string) => MailContent,
): Promise<void> {
  const link = {
    purpose: 'reset-password',
    userId,
    email,
    passwordHash: null,
    lifetime: 'emailLink',
  } as const
  await queueMail(ctx, tx, email, toMail(ctx, await createLink(ctx, tx, link)))
}

const toExpiryNote = ({ config }: Ctx): string =>
  `The link works once, within ${toDurationText(config.lifetimes.emailLink)}. After that, ask for another on the sign-in page.`

const passwordEndedMail = (ctx: Ctx, token: string): MailContent => ({
  subject: 'You need a new password',
  paragraphs: [
    'An administrator has removed the password of your account and signed you out everywhere. Choose a new one to sign in again.',
    toExpiryNote(ctx),
  ],
  action: { label: 'Choose a new password', path: `/reset-password?token=${token}` },
})

const firstPasswordMail = (ctx: Ctx, token: string): MailContent => ({
  subject: 'An account was made for you',
  paragraphs: [
    'An administrator has made an account for this address. Choose a password, and you can sign in.',
    toExpiryNote(ctx),
  ],
  action: { label: 'Choose a password', path: `/reset-password?token=${token}` },
})
