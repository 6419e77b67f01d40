import { Button, Center, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useInfiniteList } from '../../api/query-hooks.ts'
import { deliveries as text } from '../../text/webhooks.ts'
import { Icon } from '../../ui/icon.tsx'
import { LoadMoreButton } from '../../ui/load-more-button.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../ui/states.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { DeliveriesTable } from './deliveries-table.tsx'
import { DELIVERY_STATUSES, DeliveryStatusSelect } from './delivery-outcome.tsx'
import { ReplayDialog } from './replay-dialog.tsx'
import { webhooksApi, webhooksKey } from './webhooks-api.ts'

/** Deliveries change without user action. */
const REFETCH_INTERVAL_MS = 5_000

/** The deliveries of one webhook. */
export function DeliveriesPage({ tenantId, webhookId }: { tenantId: string | undefined; webhookId: string }) {
  const api = webhooksApi(tenantId)
  const { values, set } = useFilters(['status'])
  const [isReplaying, setIsReplaying] = useState(false)
  const status = DELIVERY_STATUSES.find((candidate) => candidate === values.status)
  const webhook = useQuery({
    queryKey: webhooksKey(tenantId, webhookId, 'one'),
    queryFn: () => api.get(webhookId),
  })
  const query = useInfiniteList(webhooksKey(tenantId, webhookId, 'deliveries', status ?? null), {
    fetchPage: (after: number | undefined) =>
      api.deliveries(webhookId, { ...(status && { status }), ...(after !== undefined && { after }) }),
    getNextCursor: ({ next }) => next,
    refetchIntervalMs: REFETCH_INTERVAL_MS,
  })
  const rows = query.data?.pages.flatMap((page) => page.deliveries) ?? []
  const emptyState = status ? text.nothing : text.empty
  return (
    <Page
      title={text.title}
      back={{ href: '/', label: text.back }}
      lead={text.lead(webhook.data?.url ?? '…')}
      actions={
        <Button variant="default" leftSection={<Icon name="refresh" size={16} />} onClick={() => setIsReplaying(true)}>
          {text.replaySince.button}
        </Button>
      }
    >
      <DeliveryStatusSelect status={status} onChange={(value) => set({ status: value })} />
      {query.isError ? (
        <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <LoadingSkeleton rows={5} height={58} />
      ) : (
        <Stack gap="md">
          <DeliveriesTable
            tenantId={tenantId}
            webhookId={webhookId}
            rows={rows}
            busy={query.isPlaceholderData}
            empty={<EmptyState icon="hook" title={emptyState.title} text={emptyState.text} />}
          />
          {query.hasNextPage && (
            <Center>
              <LoadMoreButton label={text.older} query={query} />
            </Center>
          )}
        </Stack>
      )}
      {isReplaying && <ReplayDialog tenantId={tenantId} webhookId={webhookId} onClose={() => setIsReplaying(false)} />}
    </Page>
  )
}
