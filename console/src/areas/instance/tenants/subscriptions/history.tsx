import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { useApiQuery } from '../../../../api/use-api.ts'
import { subscriptions } from '../../../../text/subscriptions.ts'
import { type Column, DataTable } from '../../../../ui/data-table.tsx'
import { Icon } from '../../../../ui/icon.tsx'
import { Section } from '../../../../ui/section.tsx'
import { EmptyState, QueryContent } from '../../../../ui/states.tsx'
import { RelativeTime } from '../../../../ui/time.tsx'
import { HistoryActor, HistoryEvent } from './history-entry.tsx'
import type { LedgerEntry } from './types.ts'

const text = subscriptions.history
const LIMIT = 10

const COLUMNS: Column<LedgerEntry>[] = [
  { title: text.what, cell: (entry) => <HistoryEvent entry={entry} /> },
  { title: text.who, cell: ({ actor }) => <HistoryActor actor={actor} /> },
  { title: text.when, cell: ({ occurredAt }) => <RelativeTime at={occurredAt} /> },
]

/** The license ledger of a tenant, newest first. */
export function SeatHistory({ tenantId }: { tenantId: string }) {
  // The cursors of the visited pages.
  const [cursors, setCursors] = useState([0])
  const query = useApiQuery('GET /api/licensing/tenants/{tenantId}/ledger', {
    input: { path: { tenantId }, query: { order: 'desc', limit: LIMIT, after: cursors.at(-1) ?? 0 } },
  })
  return (
    <Section title={text.title} lead={text.lead}>
      <QueryContent query={query} skeletonRows={5} skeletonHeight={52}>
        {({ entries, next }) => (
          <Stack>
            <DataTable
              label={text.title}
              rows={entries}
              keyOf={({ sequence }) => String(sequence)}
              busy={query.isPlaceholderData}
              empty={<EmptyState icon="clock" {...text.none} />}
              columns={COLUMNS}
            />
            {(next !== null || cursors.length > 1) && (
              <Group justify="flex-end" gap="xs" role="navigation" aria-label={text.title}>
                <Button
                  variant="default"
                  size="compact-md"
                  leftSection={<Icon name="left" size={16} />}
                  disabled={cursors.length === 1}
                  onClick={() => setCursors((previous) => previous.slice(0, -1))}
                >
                  {text.newer}
                </Button>
                <Button
                  variant="default"
                  size="compact-md"
                  rightSection={<Icon name="right" size={16} />}
                  disabled={next === null || query.isPlaceholderData}
                  onClick={() => next !== null && setCursors((previous) => [...previous, next])}
                >
                  {text.older}
                </Button>
              </Group>
            )}
          </Stack>
        )}
      </QueryContent>
    </Section>
  )
}
