import { recordAuditEvent, userActor } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { rotateSessionSecret } from '../../sessions/browser-session.ts'
import { addSecondFactorToSession } from '../../sessions/second-factor.ts'
import { findFactors, hasSecondFactor } from '../../users/factors/factors.ts'
import { createRecoveryCodes } from '../../users/factors/recovery-codes.ts'
import { beginTotpEnrollment, confirmTotpEnrollment, type NewTotp, removeTotp } from '../../users/factors/totp.ts'
import { type NoticeKind, queueNotice } from '../../users/notices.ts'
import type { User } from '../../users/service.ts'
import {
  confirmIdentity,
  getCurrentUser,
  lockConfirmedUser,
  lockCurrentUser,
  type PersonExchange,
  type PersonRequest,
  requireReauthenticationToAddFactor,
  requireSessionMfa,
} from '../confirm-identity.ts'

/**
 * Starts the enrollment of an authenticator app. It needs a verified address: otherwise somebody who signed up with
 * another person's address could lock that person out with a second factor.
 */
export async function beginAppEnrollment(ctx: Ctx, exchange: PersonExchange, password?: string): Promise<NewTotp> {
  const { caller } = exchange
  const user = await getCurrentUser(ctx, caller)
  if (!user.email_verified) throw new AppError('EMAIL_NOT_VERIFIED')
  await requireReauthenticationToAddFactor(ctx, exchange, password)
  await requireSessionMfa(ctx.db, caller)
  return beginTotpEnrollment(ctx, user, caller.sessionId)
}

/** Completes the enrollment. Returns new recovery codes. */
export async function confirmAppEnrollment(ctx: Ctx, exchange: PersonExchange, code: string): Promise<string[]> {
  const { caller, request } = exchange
  const { codes, setCookie } = await ctx.db.transaction().execute(async (tx) => {
    const user = await lockCurrentUser(tx, caller)
    // Another factor may have been added since the enrollment started.
    await requireSessionMfa(tx, caller)
    await confirmTotpEnrollment(ctx, tx, caller, code.replace(/\s/g, ''))
    const codes = await createRecoveryCodes(tx, user.id)
    await addSecondFactorToSession(tx, caller.sessionId, ['otp', 'mfa'])
    await notifyAndRecord(ctx, tx, { user, request, action: 'user.totp_enabled', kind: 'totp-enabled' })
    return { codes, setCookie: await rotateSessionSecret(ctx, tx, exchange) }
  })
  setCookie()
  return codes
}

export async function removeApp(ctx: Ctx, exchange: PersonExchange, password: string | undefined): Promise<void> {
  const confirmed = await confirmIdentity(ctx, exchange, password)
  await requireSessionMfa(ctx.db, exchange.caller)
  await ctx.db.transaction().execute(async (tx) => {
    const user = await lockConfirmedUser(tx, exchange, confirmed)
    if (!(await removeTotp(tx, user.id))) throw new AppError('MFA_NOT_ENROLLED')
    const { request } = exchange
    await notifyAndRecord(ctx, tx, { user, request, action: 'user.totp_disabled', kind: 'totp-disabled' })
  })
  await ctx.changes.waitUntilCurrent()
}

export async function replaceRecoveryCodes(
  ctx: Ctx,
  exchange: PersonExchange,
  password: string | undefined,
): Promise<string[]> {
  const confirmed = await confirmIdentity(ctx, exchange, password)
  await requireSessionMfa(ctx.db, exchange.caller)
  return ctx.db.transaction().execute(async (tx) => {
    const user = await lockConfirmedUser(tx, exchange, confirmed)
    if (!hasSecondFactor(await findFactors(tx, user.id))) throw new AppError('MFA_NOT_ENROLLED')
    const { request } = exchange
    const kind = 'recovery-codes-replaced'
    await notifyAndRecord(ctx, tx, { user, request, action: 'user.recovery_codes_replaced', kind })
    return createRecoveryCodes(tx, user.id)
  })
}

interface FactorChange {
  user: User
  request: PersonRequest['request']
  action: 'user.totp_enabled' | 'user.totp_disabled' | 'user.recovery_codes_replaced'
  kind: NoticeKind
}

async function notifyAndRecord(ctx: Ctx, tx: Tx, { user, request, action, kind }: FactorChange): Promise<void> {
  await queueNotice(ctx, tx, { to: user, kind })
  await recordAuditEvent(ctx, tx, { action, actor: userActor(user.id), userId: user.id, request })
}
