import { subscriptionStatus as text } from '../text/seats.ts'
import { StatusBadge } from './status-badge.tsx'

const TONES = {
  ACTIVE: 'good',
  TRIALING: 'calm',
  PAST_DUE: 'bad',
  CANCELED: 'waiting',
  EXPIRED: 'bad',
} as const

/** The status of a subscription. */
export const SubscriptionBadge = ({ status }: { status: keyof typeof TONES }) => (
  <StatusBadge tone={TONES[status]}>{text[status]}</StatusBadge>
)
