import { recordAuditEvent, userActor } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { countAgainstLimit } from '../../db/limiter.ts'
import type { Db, Tx } from '../../db/open.ts'
import type { Person } from '../../http/routing/callers.ts'
import { t } from '../../languages/translate.ts'
import { checkField, requireEmail, throwIfInvalid } from '../../lib/field-validation.ts'
import type { Mail, MailFact } from '../../mail/mail.ts'
import { queueMail } from '../../mail/outbox.ts'
import { createLink, findPendingMail, type PendingMail, revokeLinks } from '../../sessions/mailed-links.ts'
import { requireMailQuota, requireResendTime } from '../../sessions/resend-time.ts'
import { findMailQuotaWait } from '../../users/mail-quota.ts'
import { queueNotice } from '../../users/notices.ts'
import { isPlaceholder } from '../../users/placeholders.ts'
import { findUserByEmail, type User } from '../../users/service.ts'
import {
  confirmIdentity,
  getCurrentUser,
  lockConfirmedUser,
  lockCurrentUser,
  type PersonExchange,
} from '../confirm-identity.ts'

const PURPOSE = 'change-email'
const LIMIT = { name: 'email-change', max: 20, seconds: 3_600 }

/**
 * Mails a confirmation link to the new address. If the address belongs to another account, its owner gets a notice
 * instead; the response is the same, so that it does not reveal which accounts exist. Returns the seconds to wait if this
 * person has sent the address too many mails.
 */
export async function requestEmailChange(
  ctx: Ctx,
  exchange: PersonExchange,
  input: { newEmail: string; password?: string },
): Promise<number | undefined> {
  const { caller, request } = exchange
  const newEmail = requireNewAddress(input.newEmail, await getCurrentUser(ctx, caller))
  const confirmed = await confirmIdentity(ctx, exchange, input.password)
  // Every request sends two mails.
  await countAgainstLimit(ctx.db, LIMIT, caller.userId)
  // The quota of the new address is per requesting person, so that nobody can use up another's.
  const wait = await findMailQuotaWait(ctx, toQuota(caller), newEmail)
  if (wait !== undefined) return wait
  await ctx.db.transaction().execute(async (tx) => {
    const user = await lockConfirmedUser(tx, exchange, confirmed)
    const { id: userId } = user
    await mailLink(ctx, tx, { user, newEmail })
    const facts: MailFact[] = [{ label: 'newAddress', value: newEmail }]
    await queueNotice(ctx, tx, { to: user, kind: 'email-change-requested', facts })
    await recordAuditEvent(ctx, tx, {
      action: 'user.email_change_requested',
      actor: userActor(userId),
      userId,
      request,
      personal: { newEmail },
    })
  })
  return undefined
}

const toQuota = ({ userId }: Person) => `${PURPOSE}:${userId}`

async function mailLink(ctx: Ctx, tx: Tx, { user, newEmail }: { user: User; newEmail: string }): Promise<void> {
  const { id: userId } = user
  const holder = await findUserByEmail(tx, newEmail)
  const taken = holder !== undefined && !isPlaceholder(holder)
  await revokeLinks(tx, { userId, purpose: PURPOSE })
  // Created for a taken address too, but never mailed: the response must not depend on it.
  const token = await createLink(ctx, tx, { purpose: PURPOSE, userId, email: newEmail, passwordHash: null })
  const { locale } = taken ? holder : user
  await queueMail(ctx, tx, { email: newEmail, locale }, taken ? ADDRESS_TAKEN_MAIL : toConfirmationMail(ctx, token))
}

/** The mail to the new address of a change that was requested and not confirmed. */
export const findPendingChange = (ctx: Ctx, db: Db, userId: string): Promise<PendingMail | undefined> =>
  findPendingMail(ctx, db, { userId, purpose: PURPOSE, passwordHash: null })

/**
 * Mails the new address another link in place of the previous one, without another confirmation of the identity: the
 * request had it, and the address is the same. Throws RATE_LIMITED if it is too early for another mail.
 */
export async function resendEmailChange(ctx: Ctx, { caller }: PersonExchange): Promise<void> {
  const { userId } = caller
  const pending = await findPendingChange(ctx, ctx.db, userId)
  if (!pending) return
  requireResendTime(pending.seconds)
  await countAgainstLimit(ctx.db, LIMIT, userId)
  await requireMailQuota(ctx, toQuota(caller), pending.email)
  await ctx.db.transaction().execute(async (tx) => {
    const user = await lockCurrentUser(tx, caller)
    const current = await findPendingChange(ctx, tx, userId)
    // Confirmed, replaced or revoked meanwhile.
    if (current?.email !== pending.email) return
    requireResendTime(current.seconds)
    await mailLink(ctx, tx, { user, newEmail: current.email })
  })
}

function requireNewAddress(text: string, { email }: User): string {
  const newEmail = requireEmail(text, 'newEmail')
  throwIfInvalid([checkField(newEmail !== email, 'newEmail', t('is your address already'))])
  return newEmail
}

const toConfirmationMail = ({ config }: Ctx, token: string): Mail => ({
  kind: 'confirm-new-email',
  values: { validity: config.lifetimes.emailLink },
  path: `/verify-email?token=${token}`,
})

const ADDRESS_TAKEN_MAIL: Mail = { kind: 'address-taken', path: '/login' }
