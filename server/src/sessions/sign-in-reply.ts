import { AppError } from '../errors.ts'
import type { SecondFactor } from '../users/factors/factors.ts'
import type { SignedInUser } from '../users/profile.ts'
import type { SignInResult } from './establish-session.ts'

type SignInReply = { user: SignedInUser; session: { id: string } } | { mfaRequired: true; methods: SecondFactor[] }

export function toSignInReply(result: SignInResult): SignInReply {
  if (result.state === 'signed-in') return { user: result.user, session: result.session }
  if (result.state === 'second-factor') return { mfaRequired: true, methods: result.methods }
  throw new AppError('ACCOUNT_SCHEDULED_FOR_DELETION', {
    details: { erasedAt: result.erasureDate.toISOString() },
  })
}
