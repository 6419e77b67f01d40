import { person, record } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Exchange } from '../../http/exchange.ts'
import { renewSecret } from '../../sessions/browser-session.ts'
import { guardAnew, voidLinks } from '../../sessions/mailed-links.ts'
import { hashChosenPassword, traitsOf } from '../../users/chosen-password.ts'
import { notify } from '../../users/notices.ts'
import { changeUser } from '../../users/service.ts'
import { type Asking, confirmIdentity, getSelf, stayConfirmed } from '../confirm-identity.ts'
import { endElsewhere } from './store.ts'

/** Changes the password. Whoever is signed in elsewhere, by whatever means, is not any more. */
export async function changePassword(
  ctx: Ctx,
  asking: Asking & Exchange,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<void> {
  // Who has none cannot know it; their first comes through the link of a mail.
  const { password_hash } = await getSelf(ctx, asking.caller)
  if (password_hash === null) throw new AppError('CURRENT_PASSWORD_INCORRECT', { message: NONE_YET })
  const user = await confirmIdentity(ctx, asking, currentPassword)
  if (newPassword.normalize('NFKC') === currentPassword.normalize('NFKC')) throw new AppError('SAME_PASSWORD')
  const hash = await hashChosenPassword(newPassword, traitsOf(user))
  const { caller, request } = asking
  const giveCookie = await ctx.db.transaction().execute(async (tx) => {
    const { id: userId, ...to } = await stayConfirmed(tx, asking, user)
    await changeUser(ctx, tx, user, { password_hash: hash })
    await endElsewhere(tx, caller)
    await voidLinks(tx, { userId, purpose: 'reset-password' })
    await voidLinks(tx, { userId, purpose: 'change-email' })
    await guardAnew(tx, { userId, from: user.password_hash, to: hash })
    await notify(ctx, tx, { to, kind: 'password-changed' })
    await record(ctx, tx, { action: 'user.password_changed', actor: person(userId), userId, request })
    return renewSecret(ctx, tx, asking)
  })
  giveCookie()
  await ctx.changes.settle()
}

const NONE_YET = 'You have no password yet. Choose one through the link for a forgotten password.'
