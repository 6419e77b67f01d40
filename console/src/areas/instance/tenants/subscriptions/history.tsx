import { Button, Group, Stack } from '@mantine/core'
import type { Reply } from 'latchkey-sdk'
import { useState } from 'react'
import { useRead } from '../../../../api/use-api.ts'
import { subscriptions } from '../../../../text/subscriptions.ts'
import { type Column, DataTable } from '../../../../ui/data-table.tsx'
import { Icon } from '../../../../ui/icon.tsx'
import { Section } from '../../../../ui/section.tsx'
import { Empty, Loaded } from '../../../../ui/states.tsx'
import { Moment } from '../../../../ui/time.tsx'
import { HistoryActor, HistoryEvent } from './history-entry.tsx'

const text = subscriptions.history
const LIMIT = 10

export type HistoryRow = Reply<'GET /api/licensing/tenants/{tenantId}/ledger'>['entries'][number]

const COLUMNS: Column<HistoryRow>[] = [
  { title: text.what, cell: (entry) => <HistoryEvent entry={entry} /> },
  { title: text.who, cell: ({ actor }) => <HistoryActor actor={actor} /> },
  { title: text.when, cell: ({ occurredAt }) => <Moment at={occurredAt} /> },
]

/** Everything that ever happened to the seats of a tenant, the newest first. */
export function SeatHistory({ tenantId }: { tenantId: string }) {
  // Where each page that one has turned to begins; the first at the newest.
  const [pages, setPages] = useState([0])
  const query = useRead('GET /api/licensing/tenants/{tenantId}/ledger', {
    input: { path: { tenantId }, query: { order: 'desc', limit: LIMIT, after: pages.at(-1) ?? 0 } },
  })
  return (
    <Section title={text.title} lead={text.lead}>
      <Loaded query={query} rows={5} height={52}>
        {({ entries, next }) => (
          <Stack>
            <DataTable
              label={text.title}
              rows={entries}
              keyOf={({ sequence }) => String(sequence)}
              busy={query.isPlaceholderData}
              empty={<Empty icon="clock" {...text.none} />}
              columns={COLUMNS}
            />
            {(next !== null || pages.length > 1) && (
              <Group justify="flex-end" gap="xs" role="navigation" aria-label={text.title}>
                <Button
                  variant="default"
                  size="compact-md"
                  leftSection={<Icon name="left" size={16} />}
                  disabled={pages.length === 1}
                  onClick={() => setPages((former) => former.slice(0, -1))}
                >
                  {text.newer}
                </Button>
                <Button
                  variant="default"
                  size="compact-md"
                  rightSection={<Icon name="right" size={16} />}
                  disabled={next === null || query.isPlaceholderData}
                  onClick={() => next !== null && setPages((former) => [...former, next])}
                >
                  {text.older}
                </Button>
              </Group>
            )}
          </Stack>
        )}
      </Loaded>
    </Section>
  )
}
