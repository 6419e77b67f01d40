import { Group } from '@mantine/core'
import { people } from '../../../text/people.ts'
import { Tag } from '../kit/tag.tsx'

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
      {user.superAdmin && <Tag tone="plain">{text.superAdmin}</Tag>}
      {user.deletionRequestedAt !== null && <Tag tone="bad">{text.deleting}</Tag>}
      {user.disabled && <Tag tone="bad">{text.disabled}</Tag>}
      {!user.emailVerified && <Tag tone="warn">{text.unverified}</Tag>}
      {isPlain && user.emailVerified && <Tag tone="good">{text.active}</Tag>}
    </Group>
  )
}
