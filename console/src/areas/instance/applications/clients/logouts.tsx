import type { Reply } from '@latchkey/client'
import { Button, Center, Stack } from '@mantine/core'
import { call } from '../../../../api/api.ts'
import { useAction, useInfiniteList } from '../../../../api/query-hooks.ts'
import { useApiQuery } from '../../../../api/use-api.ts'
import {
  DELIVERY_STATUSES,
  DeliveryOutcome,
  DeliveryStatus,
  DeliveryStatusSelect,
} from '../../../../parts/webhooks/delivery-outcome.tsx'
import { clients } from '../../../../text/clients.ts'
import { deliveries } from '../../../../text/webhooks.ts'
import { DataTable } from '../../../../ui/data-table.tsx'
import { LoadMoreButton } from '../../../../ui/load-more-button.tsx'
import { showSuccess } from '../../../../ui/notifications.tsx'
import { Page } from '../../../../ui/page.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../../../ui/states.tsx'
import { RelativeTime } from '../../../../ui/time.tsx'
import { useFilters } from '../../../../ui/use-filters.ts'
import { NameLink } from '../../kit/name-link.tsx'

const text = clients.logouts

type Logout = Reply<'GET /api/admin/clients/{id}/logouts'>['deliveries'][number]

/** Logouts change without user action. */
const REFETCH_INTERVAL_MS = 5_000

/** The logout tokens for one client. */
export function LogoutsPage({ applicationId, clientId: id }: { applicationId: string; clientId: string }) {
  const { values, set } = useFilters(['status'])
  const status = DELIVERY_STATUSES.find((candidate) => candidate === values.status)
  const client = useApiQuery('GET /api/admin/clients/{id}', { input: { path: { id } } })
  const query = useInfiniteList(['logouts', id, status ?? null], {
    fetchPage: (after: number | undefined) =>
      call('GET /api/admin/clients/{id}/logouts', {
        path: { id },
        query: { ...(status && { status }), ...(after !== undefined && { after }) },
      }),
    getNextCursor: ({ next }) => next,
    refetchIntervalMs: REFETCH_INTERVAL_MS,
  })
  return (
    <Page
      title={text.title}
      back={{ href: `/applications/${applicationId}`, label: text.back }}
      lead={text.lead(client.data?.name ?? '…')}
    >
      <DeliveryStatusSelect status={status} onChange={(value) => set({ status: value })} />
      {query.isError ? (
        <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <LoadingSkeleton rows={5} height={58} />
      ) : (
        <Stack gap="md">
          <LogoutsTable
            id={id}
            rows={query.data.pages.flatMap((page) => page.deliveries)}
            busy={query.isPlaceholderData}
            empty={status ? { title: deliveries.nothing.title, text: text.nothing } : text.empty}
          />
          {query.hasNextPage && (
            <Center>
              <LoadMoreButton label={deliveries.older} query={query} />
            </Center>
          )}
        </Stack>
      )}
    </Page>
  )
}

interface TableProps {
  id: string
  rows: Logout[]
  busy: boolean
  empty: { title: string; text: string }
}

function LogoutsTable({ id, rows, busy, empty }: TableProps) {
  const replay = useAction(
    (deliveryId: string) =>
      call('POST /api/admin/clients/{id}/logouts/{deliveryId}/replay', { path: { id, deliveryId } }),
    { invalidates: [['logouts', id]], onSuccess: () => showSuccess(text.replayed) },
  )
  return (
    <DataTable
      label={text.title}
      rows={rows}
      keyOf={(row) => row.id}
      busy={busy}
      empty={<EmptyState icon="hook" title={empty.title} text={empty.text} />}
      columns={[
        {
          title: text.user,
          cell: ({ userId, sessionId }) => (
            <NameLink href={`/users/${userId}`} name={userId} note={text.session(sessionId)} />
          ),
        },
        { title: deliveries.columns.status, cell: ({ status }) => <DeliveryStatus status={status} /> },
        { title: deliveries.columns.attempts, cell: ({ attempts }) => attempts },
        { title: deliveries.columns.last, cell: (logout) => <DeliveryOutcome delivery={logout} /> },
        { title: deliveries.columns.queued, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
        {
          title: deliveries.columns.actions,
          actions: true,
          cell: (row) => (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={text.replayOf(row.sessionId)}
              loading={replay.isPending && replay.variables === row.id}
              onClick={() => replay.mutate(row.id)}
            >
              {deliveries.replay}
            </Button>
          ),
        },
      ]}
    />
  )
}
