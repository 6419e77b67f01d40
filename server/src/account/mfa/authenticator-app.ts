import { person, record } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import type { Exchange } from '../../http/exchange.ts'
import { renewSecret } from '../../sessions/browser-session.ts'
import { noteSecondFactor } from '../../sessions/second-factor.ts'
import { findFactors, hasSecondFactor } from '../../users/factors/factors.ts'
import { makeRecoveryCodes } from '../../users/factors/recovery-codes.ts'
import { beginTotp, confirmNewTotp, endTotp, type NewTotp } from '../../users/factors/totp.ts'
import { type NoticeKind, notify } from '../../users/notices.ts'
import { lockUser, type User } from '../../users/service.ts'
import {
  type Asking,
  confirmIdentity,
  getSelf,
  type Managing,
  requireRecentSignIn,
  requireShownFactor,
} from '../confirm-identity.ts'

/**
 * Begins to set an authenticator app up. Only for a confirmed address: else whoever signed up with a stranger's
 * could keep them out for good.
 */
export async function beginApp(ctx: Ctx, { caller }: Managing, password?: string): Promise<NewTotp> {
  const user = await getSelf(ctx, caller)
  if (!user.email_verified) throw new AppError('EMAIL_NOT_VERIFIED')
  await requireRecentSignIn(ctx, caller, password)
  await requireShownFactor(ctx, caller)
  return beginTotp(ctx, user)
}

/** Puts the app to use, and hands out the codes for the day it is lost. */
export async function confirmApp(ctx: Ctx, managing: Managing, code: string): Promise<string[]> {
  const { caller, request } = managing
  const user = await getSelf(ctx, caller)
  const codes = await ctx.db.transaction().execute(async (tx) => {
    // Of two factors set up at once, the codes of the second are the ones that count.
    await lockUser(tx, user.id)
    await confirmNewTotp(ctx, tx, user.id, code.replace(/\s/g, ''))
    const made = await makeRecoveryCodes(tx, user.id)
    await noteSecondFactor(tx, caller.sessionId, ['otp', 'mfa'])
    await tell(ctx, tx, { user, request, action: 'user.totp_enabled', kind: 'totp-enabled' })
    return made
  })
  await renewSecret(ctx, managing)
  return codes
}

export async function removeApp(ctx: Ctx, asking: Asking, password: string | undefined): Promise<void> {
  const user = await confirmIdentity(ctx, asking, password)
  await requireShownFactor(ctx, asking.caller)
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await endTotp(tx, user.id))) throw new AppError('MFA_NOT_ENROLLED')
    const { request } = asking
    await tell(ctx, tx, { user, request, action: 'user.totp_disabled', kind: 'totp-disabled' })
  })
  await ctx.changes.settle()
}

/** New recovery codes in place of the old. */
export async function replaceCodes(
  ctx: Ctx,
  asking: Asking,
  password: string | undefined,
): Promise<string[]> {
  const user = await confirmIdentity(ctx, asking, password)
  await requireShownFactor(ctx, asking.caller)
  if (!hasSecondFactor(await findFactors(ctx.db, user.id))) throw new AppError('MFA_NOT_ENROLLED')
  return ctx.db.transaction().execute(async (tx) => {
    const { request } = asking
    const kind = 'recovery-codes-replaced'
    await tell(ctx, tx, { user, request, action: 'user.recovery_codes_replaced', kind })
    return makeRecoveryCodes(tx, user.id)
  })
}

interface Told {
  user: User
  request: Exchange['request']
  action: 'user.totp_enabled' | 'user.totp_disabled' | 'user.recovery_codes_replaced'
  kind: NoticeKind
}

async function tell(ctx: Ctx, tx: Tx, { user, request, action, kind }: Told): Promise<void> {
  await notify(ctx, tx, { email: user.email, kind })
  await record(ctx, tx, { action, actor: person(user.id), userId: user.id, request })
}
