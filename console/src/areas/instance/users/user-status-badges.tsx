import { Group } from '@mantine/core'
import { users } from '../../../text/users.ts'
import { StatusBadge } from '../../../ui/status-badge.tsx'

const text = users.badges

interface UserFlags {
  superAdmin: boolean
  disabled: boolean
  emailVerified: boolean
  deletionRequestedAt: string | null
}

/** The status badges of an account. */
export function UserStatusBadges({ user }: { user: UserFlags }) {
  const isUsable = !user.disabled && user.deletionRequestedAt === null
  return (
    <Group gap={6}>
      {user.superAdmin && <StatusBadge tone="calm">{text.superAdmin}</StatusBadge>}
      {user.deletionRequestedAt !== null && <StatusBadge tone="bad">{text.deleting}</StatusBadge>}
      {user.disabled && <StatusBadge tone="bad">{text.disabled}</StatusBadge>}
      {!user.emailVerified && <StatusBadge tone="waiting">{text.unverified}</StatusBadge>}
      {isUsable && user.emailVerified && <StatusBadge tone="good">{text.active}</StatusBadge>}
    </Group>
  )
}
