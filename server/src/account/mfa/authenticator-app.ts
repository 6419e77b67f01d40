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
import type { User } from '../../users/service.ts'
import {
  confirmIdentity,
  getSelf,
  lockSelf,
  type Managing,
  requireShownFactor,
  requireToAddFactor,
  stayConfirmed,
} from '../confirm-identity.ts'

/**
 * Begins to set an authenticator app up. Only for a confirmed address: else whoever signed up with a stranger's
 * could keep them out for good.
 */
export async function beginApp(ctx: Ctx, asking: Managing, password?: string): Promise<NewTotp> {
  const { caller } = asking
  const user = await getSelf(ctx, caller)
  if (!user.email_verified) throw new AppError('EMAIL_NOT_VERIFIED')
  await requireToAddFactor(ctx, asking, password)
  await requireShownFactor(ctx.db, caller)
  return beginTotp(ctx, user, caller.sessionId)
}

/** Puts the app to use, and hands out the codes for the day it is lost. */
export async function confirmApp(ctx: Ctx, managing: Managing, code: string): Promise<string[]> {
  const { caller, request } = managing
  const { codes, giveCookie } = await ctx.db.transaction().execute(async (tx) => {
    const user = await lockSelf(tx, caller)
    // Something else may have been set up since this was begun.
    await requireShownFactor(tx, caller)
    await confirmNewTotp(ctx, tx, caller, code.replace(/\s/g, ''))
    const codes = await makeRecoveryCodes(tx, user.id)
    await noteSecondFactor(tx, caller.sessionId, ['otp', 'mfa'])
    await tell(ctx, tx, { user, request, action: 'user.totp_enabled', kind: 'totp-enabled' })
    return { codes, giveCookie: await renewSecret(ctx, tx, managing) }
  })
  giveCookie()
  return codes
}

export async function removeApp(ctx: Ctx, asking: Managing, password: string | undefined): Promise<void> {
  const confirmed = await confirmIdentity(ctx, asking, password)
  await requireShownFactor(ctx.db, asking.caller)
  await ctx.db.transaction().execute(async (tx) => {
    const user = await stayConfirmed(tx, asking, confirmed)
    if (!(await endTotp(tx, user.id))) throw new AppError('MFA_NOT_ENROLLED')
    const { request } = asking
    await tell(ctx, tx, { user, request, action: 'user.totp_disabled', kind: 'totp-disabled' })
  })
  await ctx.changes.settle()
}

/** New recovery codes in place of the old. */
export async function replaceCodes(
  ctx: Ctx,
  asking: Managing,
  password: string | undefined,
): Promise<string[]> {
  const confirmed = await confirmIdentity(ctx, asking, password)
  await requireShownFactor(ctx.db, asking.caller)
  return ctx.db.transaction().execute(async (tx) => {
    const user = await stayConfirmed(tx, asking, confirmed)
    if (!hasSecondFactor(await findFactors(tx, user.id))) throw new AppError('MFA_NOT_ENROLLED')
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
  await notify(ctx, tx, { to: user, kind })
  await record(ctx, tx, { action, actor: person(user.id), userId: user.id, request })
}
