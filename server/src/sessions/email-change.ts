import type { FastifyRequest } from 'fastify'
import { person, record } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { isTaken } from '../db/violations.ts'
import { AppError } from '../errors.ts'
import { notify } from '../users/notices.ts'
import { giveWay } from '../users/placeholders.ts'
import { changeUser, lockUser } from '../users/service.ts'
import { useLink } from './mailed-links.ts'

/** Follows the link to a person's new address: from now on it is theirs, and proven to be. */
export async function confirmEmailChange(
  ctx: Ctx,
  tx: Tx,
  { token, request }: { token: string; request: FastifyRequest },
): Promise<void> {
  const { userId, email } = await useLink(ctx, tx, { purpose: 'change-email', token, passwordHash: null })
  const user = await lockUser(tx, userId)
  if (!user || user.disabled || user.deletion_requested_at !== null) throw new AppError('INVALID_TOKEN')
  await giveWay(tx, email)
  try {
    await changeUser(ctx, tx, user, { email, email_verified: true, contested: false })
  } catch (error) {
    throw isTaken(error, 'users_email_key') ? new AppError('EMAIL_TAKEN', { cause: error }) : error
  }
  await notify(ctx, tx, { to: user, kind: 'email-changed', facts: [`New address: ${email}`] })
  const entry = { action: 'user.email_changed', actor: person(userId), userId, request } as const
  await record(ctx, tx, { ...entry, personal: { before: user.email, after: email } })
}
