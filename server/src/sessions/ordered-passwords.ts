import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { Letter } from '../mail/letter.tsx'
import { queueMail } from '../mail/outbox.ts'
import { nobodysHash } from '../users/passwords.ts'
import { changeUser, type User } from '../users/service.ts'
import { forgetDevices } from './devices/store.ts'
import { createLink, voidLinks } from './mailed-links.ts'
import { endAllSessionsOf } from './overview.ts'

/** An administrator wants somebody to choose a password: their first, or another. */

/**
 * Makes the password of a person worth nothing, with whatever was begun with it. Whom another would let in is mailed a
 * link to choose one. Says whether they were.
 */
export async function endPassword(ctx: Ctx, tx: Tx, user: User): Promise<boolean> {
  const { id: userId } = user
  // Without a password and without a proven address one would be taken for somebody who was only invited.
  await changeUser(ctx, tx, user, { password_hash: user.email_verified ? null : nobodysHash() })
  await voidLinks(tx, { userId })
  await endAllSessionsOf(ctx, tx, userId)
  await forgetDevices(tx, userId)
  // A link would lead nowhere before the account is enabled, or a password opens it, again.
  const isOfUse = !user.disabled && user.password_sign_in
  if (isOfUse) await mailPasswordLink(ctx, tx, user, endedLetter)
  return isOfUse
}

/** The first password of an account that an administrator has made. */
export const inviteToChoose = (ctx: Ctx, tx: Tx, user: User): Promise<void> =>
  mailPasswordLink(ctx, tx, user, firstLetter)

/** Nobody waits for this mail, so the link is good for longer than one that somebody has asked for. */
async function mailPasswordLink(
  ctx: Ctx,
  tx: Tx,
  { id: userId, email }: User,
  letter: (token: string) => Letter,
): Promise<void> {
  const link = {
    purpose: 'reset-password',
    userId,
    email,
    passwordHash: null,
    lifetime: 'emailLink',
  } as const
  await queueMail(ctx, tx, email, letter(await createLink(ctx, tx, link)))
}

const LATER = 'The link is good for one day, and once. After that, ask for another on the sign-in page.'

const endedLetter = (token: string): Letter => ({
  subject: 'You need a new password',
  paragraphs: [
    'An administrator has ended the password of your account, and signed you out everywhere. Choose a new one to sign in again.',
    LATER,
  ],
  action: { label: 'Choose a new password', path: `/reset-password?token=${token}` },
})

const firstLetter = (token: string): Letter => ({
  subject: 'An account was made for you',
  paragraphs: [
    'An administrator has made an account for this address. Choose a password, and you can sign in.',
    LATER,
  ],
  action: { label: 'Choose a password', path: `/reset-password?token=${token}` },
})
