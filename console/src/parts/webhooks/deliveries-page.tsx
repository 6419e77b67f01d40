import { Button, Center, Select, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useEndless } from '../../api/use-door.ts'
import { deliveries as text } from '../../text/webhooks.ts'
import { Icon } from '../../ui/icon.tsx'
import { Older } from '../../ui/older.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Problem, Waiting } from '../../ui/states.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { DeliveriesTable } from './deliveries-table.tsx'
import { type Delivery, doorOf, keyAt } from './door.ts'
import { ReplayDialog } from './replay-dialog.tsx'

type Status = Delivery['status']
const STATUSES: Status[] = ['PENDING', 'DELIVERED', 'FAILED']

/** Deliveries move by themselves. */
const EVERY_MS = 5_000

/** What was and is to be sent to one webhook. */
export function DeliveriesPage({ tenantId, webhookId }: { tenantId: string | undefined; webhookId: string }) {
  const door = doorOf(tenantId)
  const { values, set } = useFilters(['status'])
  const [replaying, setReplaying] = useState(false)
  const status = STATUSES.find((known) => known === values.status)
  const webhook = useQuery({
    queryKey: keyAt(tenantId, webhookId, 'one'),
    queryFn: () => door.get(webhookId),
  })
  const query = useEndless(keyAt(tenantId, webhookId, 'deliveries', status ?? null), {
    read: (after: number | undefined) =>
      door.deliveries(webhookId, { ...(status && { status }), ...(after !== undefined && { after }) }),
    nextOf: ({ next }) => next,
    everyMs: EVERY_MS,
  })
  const rows = query.data?.pages.flatMap((page) => page.deliveries) ?? []
  const nothing = status ? text.nothing : text.empty
  return (
    <Page
      title={text.title}
      back={{ href: '/', label: text.back }}
      lead={text.lead(webhook.data?.url ?? '…')}
      actions={
        <Button
          variant="default"
          leftSection={<Icon name="refresh" size={16} />}
          onClick={() => setReplaying(true)}
        >
          {text.replaySince.button}
        </Button>
      }
    >
      <Select
        label={text.filter}
        placeholder={text.any}
        data={STATUSES.map((value) => ({ value, label: text.status[value] }))}
        value={status ?? null}
        onChange={(value) => set({ status: value })}
        clearable
        w={{ base: '100%', xs: 220 }}
      />
      {query.isError ? (
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <Waiting rows={5} height={58} />
      ) : (
        <Stack gap="md">
          <DeliveriesTable
            {...{ tenantId, webhookId, rows }}
            busy={query.isPlaceholderData}
            empty={<Empty icon="hook" title={nothing.title} text={nothing.text} />}
          />
          {query.hasNextPage && (
            <Center>
              <Older label={text.older} query={query} />
            </Center>
          )}
        </Stack>
      )}
      {replaying && <ReplayDialog {...{ tenantId, webhookId }} onClose={() => setReplaying(false)} />}
    </Page>
  )
}
