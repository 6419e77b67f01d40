import type { Ctx } from '../context.ts'
import { tooManyAttempts } from '../errors.ts'
import { t, translatable } from '../languages/translate.ts'
import { tooEarly } from '../ui/resend-button.tsx'
import { findMailQuotaWait } from '../users/mail-quota.ts'

export const RESEND_SECONDS = 60

export const TOO_MANY_MAILS = translatable(
  'This address has got too many mails. Ask again in an hour, or use another address.',
)

/** The seconds until another mail may be asked for; 0: now. */
export const secondsUntilResend = ({ now }: Ctx, { mailedAt }: { mailedAt: Date }): number =>
  Math.max(0, Math.ceil(RESEND_SECONDS - (now().getTime() - mailedAt.getTime()) / 1000))

/** Throws RATE_LIMITED if it is too early for another mail. */
export function requireResendTime(seconds: number): void {
  if (seconds > 0) throw tooManyAttempts(seconds, tooEarly(seconds))
}

/** Counts a mail that was asked for again. Throws RATE_LIMITED above the hourly quota of the address. */
export async function requireMailQuota(ctx: Ctx, kind: string, email: string): Promise<void> {
  const seconds = await findMailQuotaWait(ctx, kind, email)
  if (seconds !== undefined) throw tooManyAttempts(seconds, t(TOO_MANY_MAILS))
}
