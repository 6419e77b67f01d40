import { Alert, Button, Group, Text } from '@mantine/core'
import { useInterval, useWindowEvent } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useState, useSyncExternalStore } from 'react'
import { getConnection, subscribeToConnection } from '../api/connection.ts'
import { currentLocale } from '../languages/catalog.ts'
import { shell } from '../text/shell.ts'
import { Icon } from '../ui/icon.tsx'

const text = shell.connection
const RETRY_INTERVAL_MS = 10_000
const time = new Intl.DateTimeFormat(currentLocale(), { hour: 'numeric', minute: '2-digit' })

/** Says that the service cannot be reached and that the page is stale, and tries again. */
export function ConnectionBanner() {
  const { isLost } = useSyncExternalStore(subscribeToConnection, getConnection)
  return isLost ? <LostConnection /> : null
}

function LostConnection() {
  const client = useQueryClient()
  const { lastReplyAt } = getConnection()
  const [busy, setBusy] = useState(false)
  const retry = async () => {
    setBusy(true)
    await client.refetchQueries({ type: 'active' })
    setBusy(false)
  }
  useInterval(() => void retry(), RETRY_INTERVAL_MS, { autoInvoke: true })
  useWindowEvent('online', () => void retry())
  return (
    <Alert color="yellow" variant="light" icon={<Icon name="warning" />} title={text.lost} role="alert" mb="lg">
      <Group justify="space-between" gap="sm">
        <Text size="sm">{text.stale(time.format(lastReplyAt))}</Text>
        <Button size="xs" variant="default" loading={busy} onClick={() => void retry()}>
          {shell.retry}
        </Button>
      </Group>
    </Alert>
  )
}
