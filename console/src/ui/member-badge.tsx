import { memberStatus as text } from '../text/roles.ts'
import { StatusBadge } from './status-badge.tsx'

const TONES = { ACTIVE: 'good', INVITED: 'waiting', SUSPENDED: 'bad' } as const

export type MemberStatus = keyof typeof TONES

/** The status of a membership. */
export const MemberBadge = ({ status }: { status: MemberStatus }) => (
  <StatusBadge tone={TONES[status]}>{text[status]}</StatusBadge>
)
