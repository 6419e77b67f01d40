import type { Ctx } from '../context.ts'
import type { MfaPolicy } from '../db/tables.ts'
import type { Person } from '../http/routing/callers.ts'
import { includesSecondFactor } from '../lib/amr.ts'

/** Whether the tenant requires a second factor that the session lacks. */
export const lacksSecondFactor = (policy: MfaPolicy | null, amr: readonly string[]): boolean =>
  policy === 'REQUIRED' && !includesSecondFactor(amr)

/** How long a member who starts to require a second factor has to set up their own. */
const GRACE_PERIOD_MS = 3_600_000

/** The session that may act for the tenant without the required second factor, and until when. */
export interface MfaGrace {
  mfa_grace_session_id: string | null
  mfa_grace_until: Date | null
}

const NO_GRACE: MfaGrace = { mfa_grace_session_id: null, mfa_grace_until: null }

/**
 * Grants the session that sets the policy a grace period, so that a member cannot lock themselves out. The last grace
 * is kept while the policy is OPTIONAL: switching it off and on does not grant the same session a second period.
 */
export function toMfaGrace(
  ctx: Ctx,
  { policy, setter, before }: { policy: MfaPolicy; setter: Person | undefined; before: MfaGrace },
): MfaGrace {
  const { mfa_grace_session_id, mfa_grace_until } = before
  if (policy !== 'REQUIRED') return { mfa_grace_session_id, mfa_grace_until }
  if (!setter || !lacksSecondFactor(policy, setter.amr)) return NO_GRACE
  if (mfa_grace_session_id === setter.sessionId) return { mfa_grace_session_id, mfa_grace_until }
  return {
    mfa_grace_session_id: setter.sessionId,
    mfa_grace_until: new Date(ctx.now().getTime() + GRACE_PERIOD_MS),
  }
}

/** Undefined when the session has no grace period. */
export function findGraceEnd(
  ctx: Ctx,
  { mfa_grace_session_id, mfa_grace_until }: MfaGrace,
  sessionId: string,
): Date | undefined {
  const hasGrace = mfa_grace_session_id === sessionId && mfa_grace_until !== null && ctx.now() < mfa_grace_until
  return hasGrace ? mfa_grace_until : undefined
}
