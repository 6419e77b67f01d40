import type { FastifyRequest } from 'fastify'
import { recordAuditEvent, SYSTEM, userActor } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { retryOnDeadlock } from '../db/errors.ts'
import { countAgainstLimit } from '../db/limiter.ts'
import { AppError } from '../errors.ts'
import { clientNetwork } from '../http/request/client-address.ts'
import { defineJob } from '../jobs/job.ts'
import { enqueue } from '../jobs/store.ts'
import { findRequestLanguage, resumeInLanguage } from '../languages/current-language.ts'
import type { Language } from '../languages/languages.ts'
import { requireEmail } from '../lib/field-validation.ts'
import { sealText, unsealText } from '../lib/seal.ts'
import { queueMail } from '../mail/outbox.ts'
import { hashChosenPassword, toPasswordTraits } from '../users/chosen-password.ts'
import { isOverMailQuota } from '../users/mail-quota.ts'
import { queueNotice } from '../users/notices.ts'
import { withPasswordAdmission } from '../users/passwords.ts'
import { EMPTY_PROFILE, isPlaceholder } from '../users/placeholders.ts'
import { changeUser, findUser, findUserByEmail, type User } from '../users/service.ts'
import { urlWithClient } from './brand.ts'
import { forgetDevices } from './devices-store.ts'
import type { LoginTransaction } from './login-transaction.ts'
import { createLink, findLink, revokeLinks, useLink } from './mailed-links.ts'
import { deletePendingOfUser, deleteSessionsOfUser } from './store.ts'

const PURPOSE = 'reset-password'
/** The address is encrypted in the job queue. */
const SEAL = 'password-reset'
const LIMIT = { name: 'reset', max: 2_000, seconds: 15 * 60 }

/**
 * Queues a password reset, and returns the address in canonical form. A job checks whether the account exists, so that
 * neither the response nor its time discloses it.
 */
export async function requestPasswordReset(
  ctx: Ctx,
  { email: input, request, login }: { email: string; request: FastifyRequest; login?: LoginTransaction | undefined },
): Promise<string> {
  await countAgainstLimit(ctx.db, LIMIT, clientNetwork(request))
  const email = requireEmail(input.trim(), 'email')
  if (await isOverMailQuota(ctx, 'reset', email)) return email
  const { clientId, tenant } = login ?? {}
  const language = findRequestLanguage()
  await enqueue(ctx.db, mailPasswordReset, {
    recipient: sealText(ctx.keys, SEAL, email),
    ...(clientId !== undefined && { clientId }),
    ...(tenant !== undefined && { tenant }),
    ...(language !== undefined && { language }),
  })
  return email
}

interface ResetMail {
  /** Encrypted. */
  recipient: string
  clientId?: string
  tenant?: string
  /** Of the request. */
  language?: Language
}

/** Mails the reset link and revokes earlier ones. */
export const mailPasswordReset = defineJob<ResetMail>({
  name: 'mail_password_reset',
  run: (ctx, mail) => resumeInLanguage(mail.language, () => mailResetLink(ctx, mail)),
})

async function mailResetLink(ctx: Ctx, { recipient, clientId, tenant }: ResetMail): Promise<void> {
  const address = unsealText(ctx.keys, SEAL, recipient)
  const user = address === undefined ? undefined : await findUserByEmail(ctx.db, address)
  // A placeholder account has no password to reset.
  if (!user || user.disabled || isPlaceholder(user)) return
  const { id: userId, email } = user
  await ctx.db.transaction().execute(async (tx) => {
    await revokeLinks(tx, { userId, purpose: PURPOSE })
    const token = await createLink(ctx, tx, { purpose: PURPOSE, userId, email, passwordHash: null })
    await queueMail(ctx, tx, email, {
      kind: 'password-reset',
      values: { validity: ctx.config.lifetimes.passwordReset },
      path: urlWithClient('/reset-password', { token }, clientId),
      origin: { clientId, tenant },
    })
    await recordAuditEvent(ctx, tx, { action: 'user.password_reset_requested', actor: SYSTEM, userId })
  })
}

/**
 * Sets a new password with the token of a mail, ends every session, and returns the user. It does not sign in. A weak
 * password does not use up the link.
 */
export const resetPassword = (ctx: Ctx, chosen: ChosenPassword): Promise<User> =>
  withPasswordAdmission(ctx, { request: chosen.request }, () => setPassword(ctx, chosen))

interface ChosenPassword {
  token: string
  newPassword: string
  request: FastifyRequest
}

async function setPassword(ctx: Ctx, { token, newPassword, request }: ChosenPassword): Promise<User> {
  const link = await findLink(ctx, { purpose: PURPOSE, token })
  const owner = link && (await findUser(ctx.db, link.userId))
  if (!owner || owner.disabled) throw new AppError('INVALID_TOKEN')
  // Hashing is slow and must not hold a connection.
  const password_hash = await hashChosenPassword(newPassword, toPasswordTraits(owner))
  const changed = await retryOnDeadlock(() =>
    ctx.db.transaction().execute(async (tx) => {
      const { userId, email } = await useLink(ctx, tx, { purpose: PURPOSE, token, passwordHash: null })
      const user = await findUser(tx, userId)
      if (!user || user.disabled || user.email !== email) throw new AppError('INVALID_TOKEN')
      // Receiving the mail proves ownership of the address. An unverified account may have been created by somebody else.
      const takeover = user.email_verified ? {} : user.contested ? EMPTY_PROFILE : { deletion_requested_at: null }
      await changeUser(ctx, tx, user, { ...takeover, password_hash, email_verified: true, contested: false })
      await revokeLinks(tx, { userId })
      await deletePendingOfUser(tx, userId)
      await deleteSessionsOfUser(tx, userId)
      await forgetDevices(tx, userId)
      await queueNotice(ctx, tx, {
        to: { email, email_verified: true, locale: user.locale },
        kind: 'password-was-reset',
      })
      await recordAuditEvent(ctx, tx, {
        action: 'user.password_reset',
        actor: userActor(userId),
        userId,
        request,
      })
      return findUser(tx, userId)
    }),
  )
  if (!changed) throw new AppError('INVALID_TOKEN')
  await ctx.changes.waitUntilCurrent()
  return changed
}

/** The address of the account whose password a valid link may set. */
export const findResetAddress = async (ctx: Ctx, token: string): Promise<string | undefined> =>
  (await findLink(ctx, { purpose: PURPOSE, token }))?.email
