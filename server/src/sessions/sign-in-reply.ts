import { AppError } from '../errors.ts'
import type { SecondFactor } from '../users/factors/factors.ts'
import type { SignedInUser } from '../users/profile.ts'
import type { Arrival } from './arrival.ts'

type SignInReply =
  | { user: SignedInUser; session: { id: string } }
  | { mfaRequired: true; methods: SecondFactor[] }

/** What a program is told of an arrival. */
export function toSignInReply(arrival: Arrival): SignInReply {
  if (arrival.state === 'signed-in') return { user: arrival.user, session: arrival.session }
  if (arrival.state === 'second-factor') return { mfaRequired: true, methods: arrival.methods }
  throw new AppError('ACCOUNT_SCHEDULED_FOR_DELETION', {
    details: { erasedAt: arrival.erasedAt.toISOString() },
  })
}
