import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** A row with title, status and action. */
export const SettingRow = ({
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
