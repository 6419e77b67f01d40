import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** One thing that is set up or not: what it is, how it stands, and what can be done with it. */
export const Line = ({
  title,
  badge,
  text,
  action,
  component = 'div',
}: {
  title: string
  badge?: ReactNode
  text: ReactNode
  action?: ReactNode
  component?: 'div' | 'li'
}) => (
  <Group component={component} justify="space-between" gap="sm" mih={44}>
    <div style={{ flex: '1 1 220px', minWidth: 0 }}>
      <Group gap="xs">
        <Text fw={600}>{title}</Text>
        {badge}
      </Group>
      <Text size="sm" c="dimmed" component="div">
        {text}
      </Text>
    </div>
    {action}
  </Group>
)
