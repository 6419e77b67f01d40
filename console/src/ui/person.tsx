import { Avatar, Badge, Group, Stack, Text } from '@mantine/core'

/** Somebody, with the address that tells them from others of the same name. */
export const Person = ({ name, email, mark }: { name: string; email: string; mark?: string | undefined }) => (
  <Group gap="sm" wrap="nowrap" miw={0}>
    <Avatar aria-hidden name={name} color="initials" radius="xl" size={34} />
    <Stack gap={0} miw={0}>
      <Group gap={6} wrap="nowrap">
        <Text size="sm" fw={600} truncate>
          {name}
        </Text>
        {mark !== undefined && (
          <Badge size="xs" variant="transparent" className="tone-calm" tt="none" style={{ flexShrink: 0 }}>
            {mark}
          </Badge>
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
