import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { webhooks as text } from '../../text/webhooks.ts'
import { useConfirm } from '../../ui/confirm.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, QueryContent } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { type IssuedSecret, SecretDialog } from './secret-dialog.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'
import { type Webhook, webhooksApi, webhooksKey } from './webhooks-api.ts'

/** The list of webhooks. */
export function WebhooksPage({ tenantId }: { tenantId: string | undefined }) {
  const query = useQuery({ queryKey: webhooksKey(tenantId, 'list'), queryFn: webhooksApi(tenantId).list })
  const [dialog, ask] = useConfirm()
  const [edited, setEdited] = useState<Webhook | 'new'>()
  const [secret, setSecret] = useState<IssuedSecret>()
  const create = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setEdited('new')}>
      {text.create}
    </Button>
  )
  const hasSome = (query.data?.webhooks.length ?? 0) > 0
  return (
    <Page
      title={text.title}
      lead={tenantId === undefined ? text.lead.instance : text.lead.tenant}
      {...(hasSome && { actions: create })}
    >
      <QueryContent query={query} skeletonHeight={64}>
        {({ webhooks }) => (
          <DataTable
            label={text.title}
            rows={webhooks}
            keyOf={({ id }) => id}
            empty={<EmptyState icon="hook" title={text.empty.title} text={text.empty.text} action={create} />}
            columns={[
              { title: text.columns.address, cell: (webhook) => <Address webhook={webhook} /> },
              { title: text.columns.events, cell: ({ events }) => <Events events={events} /> },
              { title: text.columns.status, cell: (webhook) => <Status webhook={webhook} /> },
              {
                title: text.columns.actions,
                actions: true,
                cell: (webhook) => (
                  <WebhookActions
                    tenantId={tenantId}
                    webhook={webhook}
                    ask={ask}
                    onSecret={setSecret}
                    onEdit={() => setEdited(webhook)}
                  />
                ),
              },
            ]}
          />
        )}
      </QueryContent>
      {dialog}
      {edited !== undefined && (
        <WebhookDialog
          tenantId={tenantId}
          webhook={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
          onSecret={(value) => setSecret({ secret: value })}
        />
      )}
      <SecretDialog issued={secret} onClose={() => setSecret(undefined)} />
    </Page>
  )
}

const Address = ({ webhook: { url, description } }: { webhook: Webhook }) => (
  <Stack gap={0}>
    <Text size="sm" fw={600} lineClamp={2}>
      <bdi>{url}</bdi>
    </Text>
    {description !== null && (
      <Text size="xs" c="dimmed">
        {description}
      </Text>
    )}
  </Stack>
)

const Events = ({ events }: { events: string[] }) => (
  <Text size="sm" title={events.join(', ')}>
    {events.includes('*') ? text.allEvents : text.events(events.length, events[0] ?? '')}
  </Text>
)

const Status = ({ webhook: { disabled, disabledReason } }: { webhook: Webhook }) =>
  disabled ? (
    <StatusBadge tone={disabledReason === 'REQUESTED' ? 'calm' : 'bad'}>
      {text.status[disabledReason ?? 'REQUESTED']}
    </StatusBadge>
  ) : (
    <StatusBadge tone="good">{text.status.on}</StatusBadge>
  )
