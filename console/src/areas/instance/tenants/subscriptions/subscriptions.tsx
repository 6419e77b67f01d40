import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Reply } from 'latchkey-sdk'
import { useState } from 'react'
import { useRead } from '../../../../api/use-api.ts'
import { subscriptions as text } from '../../../../text/subscriptions.ts'
import { type Column, DataTable } from '../../../../ui/data-table.tsx'
import { Icon } from '../../../../ui/icon.tsx'
import { SeatBar } from '../../../../ui/seat-bar.tsx'
import { Section } from '../../../../ui/section.tsx'
import { Empty, Loaded } from '../../../../ui/states.tsx'
import { SubscriptionBadge } from '../../../../ui/subscription-badge.tsx'
import { toDay } from '../../../../ui/time.tsx'
import { AddSubscriptionDialog } from './add-subscription.tsx'
import { ChangeSubscriptionDialog } from './change-subscription.tsx'

export type AnySubscription = Reply<'GET /api/licensing/tenants/{tenantId}/subscriptions'>[number]

const COLUMNS: Column<AnySubscription>[] = [
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
    cell: ({ currentPeriodEnd: end }) =>
      end === null ? text.noEnd : <time dateTime={end}>{toDay(end)}</time>,
  },
]

/** How many seats of which license a tenant has bought. */
export function Subscriptions({ tenantId }: { tenantId: string }) {
  const query = useRead('GET /api/licensing/tenants/{tenantId}/subscriptions', {
    input: { path: { tenantId } },
  })
  const [isAdding, adding] = useDisclosure()
  const [changed, setChanged] = useState<AnySubscription>()
  const [isChanging, changing] = useDisclosure()
  const add = (
    <Button size="sm" leftSection={<Icon name="plus" size={16} />} onClick={adding.open}>
      {text.add.button}
    </Button>
  )
  const change: Column<AnySubscription> = {
    title: text.actions,
    actions: true,
    cell: (subscription) => (
      <Button
        size="compact-sm"
        variant="default"
        aria-label={text.change.buttonFor(subscription.licenseTypeName)}
        onClick={() => {
          setChanged(subscription)
          changing.open()
        }}
      >
        {text.change.button}
      </Button>
    ),
  }
  return (
    <Section title={text.title} lead={text.lead} actions={add}>
      <Loaded query={query} rows={2} height={60}>
        {(subscriptions) => (
          <DataTable
            label={text.title}
            rows={subscriptions}
            keyOf={({ id }) => id}
            empty={<Empty icon="seat" {...text.none} />}
            columns={[...COLUMNS, change]}
          />
        )}
      </Loaded>
      <AddSubscriptionDialog tenantId={tenantId} opened={isAdding} onClose={adding.close} />
      {changed && (
        <ChangeSubscriptionDialog
          key={`${changed.id} ${isChanging}`}
          subscription={changed}
          opened={isChanging}
          onClose={changing.close}
        />
      )}
    </Section>
  )
}

const Seats = ({ subscription }: { subscription: AnySubscription }) => (
  <SeatBar
    name={subscription.licenseTypeName}
    purchased={subscription.quantityPurchased}
    assigned={subscription.quantityAssigned}
    available={subscription.quantityAvailable}
    usable={subscription.status !== 'EXPIRED'}
  />
)
