import { Anchor, Avatar, Group, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { LINK } from './link-color.ts'
import { StatusBadge } from './status-badge.tsx'

interface PersonProps {
  name: string
  email: string
  /** A badge next to the name, such as "You". */
  mark?: string | undefined
  /** The link target of the name. */
  href?: string
}

/** A user with avatar, name and email address. */
export const Person = ({ name, email, mark, href }: PersonProps) => (
  <Group gap="sm" wrap="nowrap" miw={0}>
    <Avatar aria-hidden name={name} color="initials" radius="xl" size={34} />
    <Stack gap={0} miw={0}>
      <Group gap={6} wrap="nowrap">
        {href === undefined ? (
          <Text size="sm" fw={600} truncate>
            {name}
          </Text>
        ) : (
          <Anchor component={Link} href={href} size="sm" fw={600} c={LINK} truncate>
            {name}
          </Anchor>
        )}
        {mark !== undefined && (
          <StatusBadge tone="calm" size="xs">
            {mark}
          </StatusBadge>
        )}
      </Group>
      {email !== name && (
        <Text size="xs" c="dimmed" truncate>
          {email}
        </Text>
      )}
    </Stack>
  </Group>
)
