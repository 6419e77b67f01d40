import type { FastifyRequest } from 'fastify'
import { recordAuditEvent, userActor } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { isUniqueViolation } from '../db/errors.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { queueNotice } from '../users/notices.ts'
import { releaseAddress } from '../users/placeholders.ts'
import { changeUser, lockUser } from '../users/service.ts'
import { useLink } from './mailed-links.ts'

/** Confirms an address change: the new address becomes the user's verified address. */
export async function confirmEmailChange(
  ctx: Ctx,
  tx: Tx,
  { token, request }: { token: string; request: FastifyRequest },
): Promise<void> {
  const { userId, email } = await useLink(ctx, tx, { purpose: 'change-email', token, passwordHash: null })
  const user = await lockUser(tx, userId)
  if (!user || user.disabled || user.deletion_requested_at !== null) throw new AppError('INVALID_TOKEN')
  await releaseAddress(tx, email)
  try {
    await changeUser(ctx, tx, user, { email, email_verified: true, contested: false })
  } catch (error) {
    throw isUniqueViolation(error, 'users_email_key') ? new AppError('EMAIL_TAKEN', { cause: error }) : error
  }
  await queueNotice(ctx, tx, { to: user, kind: 'email-changed', facts: [{ label: 'newAddress', value: email }] })
  await recordAuditEvent(ctx, tx, {
    action: 'user.email_changed',
    actor: userActor(userId),
    userId,
    request,
    personal: { before: user.email, after: email },
  })
}
