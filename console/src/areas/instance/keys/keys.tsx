import type { Reply } from '@latchkey/client'
import { Stack, Text } from '@mantine/core'
import { useApiQuery } from '../../../api/use-api.ts'
import { signingKeys as text } from '../../../text/signing-keys.ts'
import { Copyable } from '../../../ui/copy.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Page } from '../../../ui/page.tsx'
import { Pager } from '../../../ui/pager.tsx'
import { EmptyState, QueryContent } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { RelativeTime } from '../../../ui/time.tsx'
import { useFilters } from '../../../ui/use-filters.ts'
import { KeyRotation } from './rotation.tsx'

type SigningKey = Reply<'GET /api/admin/keys'>['keys'][number]

const TONES = { upcoming: 'calm', signing: 'good', published: 'calm', retired: 'calm' } as const

const COLUMNS: Column<SigningKey>[] = [
  {
    title: text.kid,
    cell: ({ kid }) => (
      <div style={{ maxWidth: 220 }}>
        <Copyable value={kid} />
      </div>
    ),
  },
  { title: text.algorithm, cell: ({ alg }) => alg },
  {
    title: text.state,
    cell: ({ state }) => (
      <Stack gap={2} maw="34ch" align="flex-start">
        <StatusBadge tone={TONES[state]}>{text.states[state]}</StatusBadge>
        <Text size="xs" c="dimmed">
          {text.hints[state]}
        </Text>
      </Stack>
    ),
  },
  { title: text.created, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  { title: text.signs, cell: ({ activatesAt }) => <RelativeTime at={activatesAt} /> },
  {
    title: text.ends,
    cell: ({ retiresAt }) => (retiresAt === null ? text.open : <RelativeTime at={retiresAt} />),
  },
]

/** The signing keys and their rotation. */
export function KeysPage() {
  const { page, set } = useFilters([])
  const query = useApiQuery('GET /api/admin/keys', { input: { query: { page } }, refetchIntervalMs: 60_000 })
  return (
    <Page title={text.title} lead={text.lead}>
      <QueryContent query={query} skeletonRows={2} skeletonHeight={72}>
        {({ keys, pagination }) => (
          <>
            <DataTable
              label={text.title}
              rows={keys}
              keyOf={({ kid }) => kid}
              busy={query.isPlaceholderData}
              empty={<EmptyState icon="key" {...text.none} />}
              columns={COLUMNS}
            />
            <Pager pagination={pagination} onPage={(next) => set({ page: next })} />
          </>
        )}
      </QueryContent>
      <KeyRotation />
    </Page>
  )
}
