import { subscriptionStatus as text } from '../text/seats.ts'
import { StatusBadge } from './status-badge.tsx'

const TONES = {
  ACTIVE: 'good',
  TRIALING: 'calm',
  PAST_DUE: 'bad',
  CANCELED: 'waiting',
  EXPIRED: 'bad',
} as const

/** How it stands with what was bought. */
export const SubscriptionBadge = ({ status }: { status: keyof typeof TONES }) => (
  <StatusBadge tone={TONES[status]}>{text[status]}</StatusBadge>
)
