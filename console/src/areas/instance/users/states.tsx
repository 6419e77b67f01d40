import { Group } from '@mantine/core'
import { people } from '../../../text/people.ts'
import { StatusBadge } from '../../../ui/status-badge.tsx'

const text = people.states

interface Stated {
  superAdmin: boolean
  disabled: boolean
  emailVerified: boolean
  deletionRequestedAt: string | null
}

/** What is worth knowing of an account; of most it is that all is well. */
export function UserStates({ user }: { user: Stated }) {
  const isPlain = !user.disabled && user.deletionRequestedAt === null
  return (
    <Group gap={6}>
      {user.superAdmin && <StatusBadge tone="calm">{text.superAdmin}</StatusBadge>}
      {user.deletionRequestedAt !== null && <StatusBadge tone="bad">{text.deleting}</StatusBadge>}
      {user.disabled && <StatusBadge tone="bad">{text.disabled}</StatusBadge>}
      {!user.emailVerified && <StatusBadge tone="waiting">{text.unverified}</StatusBadge>}
      {isPlain && user.emailVerified && <StatusBadge tone="good">{text.active}</StatusBadge>}
    </Group>
  )
}
