import { Button, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useAction } from '../../api/query-hooks.ts'
import { deliveries as text } from '../../text/webhooks.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { showSuccess } from '../../ui/notifications.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { DeliveryOutcome, DeliveryStatus } from './delivery-outcome.tsx'
import { type Delivery, webhooksApi, webhooksKey } from './webhooks-api.ts'

/** The deliveries with status and retry button. */
export function DeliveriesTable({
  tenantId,
  webhookId,
  rows,
  busy,
  empty,
}: {
  tenantId: string | undefined
  webhookId: string
  rows: Delivery[]
  busy: boolean
  empty: ReactNode
}) {
  const replay = useAction((deliveryId: string) => webhooksApi(tenantId).replayOne(webhookId, deliveryId), {
    invalidates: [webhooksKey(tenantId, webhookId)],
    onSuccess: () => showSuccess(text.replayed),
  })
  return (
    <DataTable
      label={text.title}
      rows={rows}
      keyOf={({ id }) => id}
      busy={busy}
      empty={empty}
      columns={[
        {
          title: text.columns.event,
          cell: ({ event }) => (
            <Text size="sm" ff="monospace">
              {event.type}
            </Text>
          ),
        },
        {
          title: text.columns.status,
          cell: ({ status }) => <DeliveryStatus status={status} />,
        },
        { title: text.columns.attempts, cell: ({ attempts }) => attempts },
        { title: text.columns.last, cell: (delivery) => <DeliveryOutcome delivery={delivery} /> },
        { title: text.columns.queued, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
        {
          title: text.columns.actions,
          actions: true,
          cell: ({ id, event }) => (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={text.replayOf(event.type)}
              loading={replay.isPending && replay.variables === id}
              onClick={() => replay.mutate(id)}
            >
              {text.replay}
            </Button>
          ),
        },
      ]}
    />
  )
}
