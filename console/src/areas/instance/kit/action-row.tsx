import { Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** An action with an explanation and a button. */
export function ActionRow({
  title,
  text,
  action,
  onAct,
  isDestructive = false,
  busy = false,
}: {
  title: string
  text: ReactNode
  action: string
  onAct: () => void
  isDestructive?: boolean
  busy?: boolean
}) {
  return (
    <Group justify="space-between" gap="sm" align="center">
      <div style={{ flex: '1 1 280px' }}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Text size="sm" c="dimmed" maw="60ch">
          {text}
        </Text>
      </div>
      <Button
        variant={isDestructive ? 'light' : 'default'}
        {...(isDestructive && { color: 'red' })}
        size="sm"
        onClick={onAct}
        loading={busy}
      >
        {action}
      </Button>
    </Group>
  )
}
