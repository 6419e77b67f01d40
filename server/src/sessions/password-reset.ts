import type { FastifyRequest } from 'fastify'
import { person, record, SYSTEM } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { createLimiter } from '../db/limiter.ts'
import { AppError, tooManyAttempts } from '../errors.ts'
import { clientNetwork } from '../http/client-address.ts'
import { defineJob } from '../jobs/job.ts'
import { enqueue } from '../jobs/store.ts'
import { requireEmail } from '../lib/problems.ts'
import { sealText, unsealText } from '../lib/seal.ts'
import { queueMail } from '../mail/outbox.ts'
import { hashChosenPassword, traitsOf } from '../users/chosen-password.ts'
import { notify } from '../users/notices.ts'
import { inPasswordLine } from '../users/passwords.ts'
import { BLANK, isPlaceholder } from '../users/placeholders.ts'
import { isTired } from '../users/recipients.ts'
import { changeUser, findUser, findUserByEmail } from '../users/service.ts'
import { addressOf } from './brand.ts'
import { forgetDevices } from './devices/store.ts'
import type { Journey } from './journey.ts'
import { createLink, findLink, useLink, voidLinks } from './mailed-links.ts'
import { deletePendingOfUser, deleteSessionsOfUser } from './store.ts'

const PURPOSE = 'reset-password'
/** Whom a job is about stands in the queue for nobody to read. */
const SEAL = 'password-reset'
const LIMIT = { name: 'reset', most: 2_000, seconds: 15 * 60 }

/**
 * Takes down that somebody has forgotten the password of an address. Whether there is such an account is found out
 * later, by a job, so that neither the answer nor its time tells.
 */
export async function requestPasswordReset(
  ctx: Ctx,
  {
    email: typed,
    request,
    journey,
  }: { email: string; request: FastifyRequest; journey?: Journey | undefined },
): Promise<void> {
  const wait = await createLimiter(ctx.db, LIMIT).count(clientNetwork(request))
  if (wait !== undefined) throw tooManyAttempts(wait)
  const email = requireEmail(typed.trim(), 'email')
  if (await isTired(ctx, 'reset', email)) return
  const clientId = journey?.clientId
  await enqueue(ctx.db, mailPasswordReset, {
    recipient: sealText(ctx.keys, SEAL, email),
    ...(clientId !== undefined && { clientId }),
  })
}

/** Sends the link to whoever has the address. The ones sent before are worth nothing from then on. */
export const mailPasswordReset = defineJob<{ recipient: string; clientId?: string }>({
  name: 'mail_password_reset',
  async run(ctx, { recipient, clientId }) {
    const address = unsealText(ctx.keys, SEAL, recipient)
    const user = address === undefined ? undefined : await findUserByEmail(ctx.db, address)
    // Who was invited has no account to forget the password of.
    if (!user || user.disabled || isPlaceholder(user)) return
    const { id: userId, email } = user
    await ctx.db.transaction().execute(async (tx) => {
      await voidLinks(tx, { userId, purpose: PURPOSE })
      const token = await createLink(ctx, tx, { purpose: PURPOSE, userId, email, passwordHash: null })
      await queueMail(ctx, tx, email, resetLetter(token, clientId))
      await record(ctx, tx, { action: 'user.password_reset_requested', actor: SYSTEM, userId })
    })
  },
})

/**
 * Sets a new password through the link of a mail. It signs nobody in, so that it leads past no second factor, and
 * ends every session. A weak password costs nothing: the link is good for another try.
 */
export const resetPassword = (ctx: Ctx, chosen: ChosenPassword): Promise<void> =>
  inPasswordLine(ctx, { request: chosen.request }, () => setPassword(ctx, chosen))

interface ChosenPassword {
  token: string
  newPassword: string
  request: FastifyRequest
}

async function setPassword(ctx: Ctx, { token, newPassword, request }: ChosenPassword): Promise<void> {
  const link = await findLink(ctx, { purpose: PURPOSE, token })
  const owner = link && (await findUser(ctx.db, link.userId))
  if (!owner || owner.disabled) throw new AppError('INVALID_TOKEN')
  // Hashing takes its time, and holds no connection while it does.
  const password_hash = await hashChosenPassword(newPassword, traitsOf(owner))
  await ctx.db.transaction().execute(async (tx) => {
    const { userId, email } = await useLink(ctx, tx, { purpose: PURPOSE, token, passwordHash: null })
    const user = await findUser(tx, userId)
    if (!user || user.disabled || user.email !== email) throw new AppError('INVALID_TOKEN')
    // Whoever reads the mail of an address has it, and may not be who had signed up with it.
    const anew = user.email_verified ? {} : user.contested ? BLANK : { deletion_requested_at: null }
    await changeUser(ctx, tx, user, { ...anew, password_hash, email_verified: true, contested: false })
    await voidLinks(tx, { userId })
    await deletePendingOfUser(tx, userId)
    await deleteSessionsOfUser(tx, userId)
    await forgetDevices(tx, userId)
    await notify(ctx, tx, { to: { email, email_verified: true }, kind: 'password-reset' })
    await record(ctx, tx, { action: 'user.password_reset', actor: person(userId), userId, request })
  })
  await ctx.changes.settle()
}

const resetLetter = (token: string, clientId: string | undefined) => ({
  subject: 'Choose a new password',
  paragraphs: [
    'Somebody, probably you, has asked for a new password for your account. The link is good for one hour, and once.',
    'If it was not you, do not follow it: your password stays as it is.',
  ],
  action: { label: 'Choose a new password', path: addressOf('/reset-password', { token }, clientId) },
})
