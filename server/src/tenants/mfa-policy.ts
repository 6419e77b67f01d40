import type { Ctx } from '../context.ts'
import type { MfaPolicy } from '../db/tables.ts'
import type { Person } from '../http/callers.ts'
import { showsSecondFactor } from '../lib/amr.ts'

/** Whether the tenant requires a second factor that the person has not shown. For its tokens and for those who run it. */
export const lacksSecondFactor = (policy: MfaPolicy | null, amr: readonly string[]): boolean =>
  policy === 'REQUIRED' && !showsSecondFactor(amr)

/** How long whoever begins to require a second factor has to set one up themselves. */
const GRACE_MS = 3_600_000

/** The session that may act for a tenant without the second factor it requires, and until when. */
export interface MfaGrace {
  mfa_grace_session_id: string | null
  mfa_grace_until: Date | null
}

const NO_GRACE: MfaGrace = { mfa_grace_session_id: null, mfa_grace_until: null }

/**
 * For the session of whoever has just set the policy, so that nobody locks themselves out. What was given before stays
 * known while no factor is required: switching it off and on gives the same session no second hour.
 */
export function graceFor(
  ctx: Ctx,
  { policy, setter, before }: { policy: MfaPolicy; setter: Person | undefined; before: MfaGrace },
): MfaGrace {
  const { mfa_grace_session_id, mfa_grace_until } = before
  if (policy !== 'REQUIRED') return { mfa_grace_session_id, mfa_grace_until }
  if (!setter || !lacksSecondFactor(policy, setter.amr)) return NO_GRACE
  if (mfa_grace_session_id === setter.sessionId) return { mfa_grace_session_id, mfa_grace_until }
  return { mfa_grace_session_id: setter.sessionId, mfa_grace_until: new Date(ctx.now().getTime() + GRACE_MS) }
}

/** Until when a session may act without the second factor; undefined: it may not. */
export function findGraceEnd(
  ctx: Ctx,
  { mfa_grace_session_id, mfa_grace_until }: MfaGrace,
  sessionId: string,
): Date | undefined {
  const isGiven =
    mfa_grace_session_id === sessionId && mfa_grace_until !== null && ctx.now() < mfa_grace_until
  return isGiven ? mfa_grace_until : undefined
}
