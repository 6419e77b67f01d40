import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useApiQuery } from '../../../../api/use-api.ts'
import { subscriptions as text } from '../../../../text/subscriptions.ts'
import { type Column, DataTable } from '../../../../ui/data-table.tsx'
import { Icon } from '../../../../ui/icon.tsx'
import { SeatBar } from '../../../../ui/seat-bar.tsx'
import { Section } from '../../../../ui/section.tsx'
import { EmptyState, QueryContent } from '../../../../ui/states.tsx'
import { SubscriptionBadge } from '../../../../ui/subscription-badge.tsx'
import { formatDate } from '../../../../ui/time.tsx'
import { AddSubscriptionDialog } from './add-subscription.tsx'
import { ChangeSubscriptionDialog } from './change-subscription.tsx'
import type { Subscription } from './types.ts'

const COLUMNS: Column<Subscription>[] = [
  {
    title: text.license,
    cell: ({ licenseTypeName, applicationName }) => (
      <div>
        <Text size="sm" fw={600}>
          {licenseTypeName}
        </Text>
        <Text size="xs" c="dimmed">
          {applicationName}
        </Text>
      </div>
    ),
  },
  { title: text.seats, cell: (subscription) => <Seats subscription={subscription} /> },
  {
    title: text.status,
    cell: ({ status }) => <SubscriptionBadge status={status} />,
  },
  {
    title: text.ends,
    cell: ({ currentPeriodEnd: end }) => (end === null ? text.noEnd : <time dateTime={end}>{formatDate(end)}</time>),
  },
]

export function Subscriptions({ tenantId }: { tenantId: string }) {
  const query = useApiQuery('GET /api/licensing/tenants/{tenantId}/subscriptions', {
    input: { path: { tenantId } },
  })
  const [isAdding, adding] = useDisclosure()
  const [editing, setEditing] = useState<Subscription>()
  const [isChanging, changing] = useDisclosure()
  const add = (
    <Button size="sm" leftSection={<Icon name="plus" size={16} />} onClick={adding.open}>
      {text.add.button}
    </Button>
  )
  const change: Column<Subscription> = {
    title: text.actions,
    actions: true,
    cell: (subscription) => (
      <Button
        size="compact-sm"
        variant="default"
        aria-label={text.change.buttonFor(subscription.licenseTypeName)}
        onClick={() => {
          setEditing(subscription)
          changing.open()
        }}
      >
        {text.change.button}
      </Button>
    ),
  }
  return (
    <Section title={text.title} lead={text.lead} actions={add}>
      <QueryContent query={query} skeletonRows={2} skeletonHeight={60}>
        {(subscriptions) => (
          <DataTable
            label={text.title}
            rows={subscriptions}
            keyOf={({ id }) => id}
            empty={<EmptyState icon="seat" {...text.none} />}
            columns={[...COLUMNS, change]}
          />
        )}
      </QueryContent>
      <AddSubscriptionDialog tenantId={tenantId} opened={isAdding} onClose={adding.close} />
      {editing && (
        <ChangeSubscriptionDialog
          key={`${editing.id} ${isChanging}`}
          subscription={editing}
          opened={isChanging}
          onClose={changing.close}
        />
      )}
    </Section>
  )
}

const Seats = ({ subscription }: { subscription: Subscription }) => (
  <SeatBar
    name={subscription.licenseTypeName}
    purchased={subscription.quantityPurchased}
    assigned={subscription.quantityAssigned}
    available={subscription.quantityAvailable}
    usable={subscription.status !== 'EXPIRED'}
  />
)
