import { Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** Something that can be done, with what it does, and its button. */
export function Deed({
  title,
  text,
  action,
  onAct,
  hurts = false,
  busy = false,
}: {
  title: string
  text: ReactNode
  action: string
  onAct: () => void
  hurts?: boolean
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
        variant={hurts ? 'light' : 'default'}
        {...(hurts && { color: 'red' })}
        size="sm"
        onClick={onAct}
        loading={busy}
      >
        {action}
      </Button>
    </Group>
  )
}
