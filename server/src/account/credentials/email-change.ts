import { recordAuditEvent, userActor } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { countAgainstLimit } from '../../db/limiter.ts'
import { t } from '../../languages/translate.ts'
import { checkField, requireEmail, throwIfInvalid } from '../../lib/field-validation.ts'
import type { Mail, MailFact } from '../../mail/mail.ts'
import { queueMail } from '../../mail/outbox.ts'
import { createLink, revokeLinks } from '../../sessions/mailed-links.ts'
import { isOverMailQuota } from '../../users/mail-quota.ts'
import { queueNotice } from '../../users/notices.ts'
import { isPlaceholder } from '../../users/placeholders.ts'
import { findUserByEmail, type User } from '../../users/service.ts'
import { confirmIdentity, getCurrentUser, lockConfirmedUser, type PersonExchange } from '../confirm-identity.ts'

const PURPOSE = 'change-email'
const LIMIT = { name: 'email-change', max: 20, seconds: 3_600 }

/**
 * Mails a confirmation link to the new address. If the address belongs to another account, its owner gets a notice
 * instead; the response is the same, so that it does not reveal which accounts exist.
 */
export async function requestEmailChange(
  ctx: Ctx,
  exchange: PersonExchange,
  input: { newEmail: string; password?: string },
): Promise<void> {
  const { caller, request } = exchange
  const newEmail = requireNewAddress(input.newEmail, await getCurrentUser(ctx, caller))
  const confirmed = await confirmIdentity(ctx, exchange, input.password)
  // Every request sends two mails.
  await countAgainstLimit(ctx.db, LIMIT, caller.userId)
  // The quota of the new address is per requesting person, so that nobody can use up another's.
  if (await isOverMailQuota(ctx, `${PURPOSE}:${caller.userId}`, newEmail)) return
  await ctx.db.transaction().execute(async (tx) => {
    const user = await lockConfirmedUser(tx, exchange, confirmed)
    const { id: userId } = user
    const holder = await findUserByEmail(tx, newEmail)
    const taken = holder !== undefined && !isPlaceholder(holder)
    await revokeLinks(tx, { userId, purpose: PURPOSE })
    // Created for a taken address too, but never mailed: the response must not depend on it.
    const token = await createLink(ctx, tx, { purpose: PURPOSE, userId, email: newEmail, passwordHash: null })
    const { locale } = taken ? holder : user
    await queueMail(ctx, tx, { email: newEmail, locale }, taken ? ADDRESS_TAKEN_MAIL : toConfirmationMail(ctx, token))
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
