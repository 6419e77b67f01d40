import { recordAuditEvent, userActor } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { retryOnDeadlock } from '../../db/errors.ts'
import { AppError } from '../../errors.ts'
import { t, translatable } from '../../languages/translate.ts'
import { rotateSessionSecret } from '../../sessions/browser-session.ts'
import { requirePasswordForLinks, revokeLinks } from '../../sessions/mailed-links.ts'
import { hashChosenPassword, toPasswordTraits } from '../../users/chosen-password.ts'
import { queueNotice } from '../../users/notices.ts'
import { changeUser } from '../../users/service.ts'
import { confirmIdentity, getCurrentUser, lockConfirmedUser, type PersonExchange } from '../confirm-identity.ts'
import { deleteOtherSessions } from './store.ts'

/** Changes the password and ends every other session. */
export async function changePassword(
  ctx: Ctx,
  exchange: PersonExchange,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<void> {
  // Without a password there is nothing to confirm; the first one is chosen through a mailed link.
  const { password_hash } = await getCurrentUser(ctx, exchange.caller)
  if (password_hash === null) throw new AppError('CURRENT_PASSWORD_INCORRECT', { message: t(NO_PASSWORD) })
  const user = await confirmIdentity(ctx, exchange, currentPassword)
  if (newPassword.normalize('NFKC') === currentPassword.normalize('NFKC')) throw new AppError('SAME_PASSWORD')
  const hash = await hashChosenPassword(newPassword, toPasswordTraits(user))
  const { caller, request } = exchange
  const setCookie = await retryOnDeadlock(() =>
    ctx.db.transaction().execute(async (tx) => {
      const { id: userId, ...to } = await lockConfirmedUser(tx, exchange, user)
      await changeUser(ctx, tx, user, { password_hash: hash })
      await deleteOtherSessions(tx, caller)
      await revokeLinks(tx, { userId, purpose: 'reset-password' })
      await revokeLinks(tx, { userId, purpose: 'change-email' })
      await requirePasswordForLinks(tx, { userId, from: user.password_hash, to: hash })
      await queueNotice(ctx, tx, { to, kind: 'password-changed' })
      await recordAuditEvent(ctx, tx, {
        action: 'user.password_changed',
        actor: userActor(userId),
        userId,
        request,
      })
      return rotateSessionSecret(ctx, tx, exchange)
    }),
  )
  setCookie()
  await ctx.changes.waitUntilCurrent()
}

const NO_PASSWORD = translatable('You have no password yet. Choose one through the link for a forgotten password.')
