import { Stack, Text } from '@mantine/core'
import type { Reply } from 'latchkey-sdk'
import { useRead } from '../../../api/use-api.ts'
import { signingKeys as text } from '../../../text/signing-keys.ts'
import { Copyable } from '../../../ui/copy.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Page } from '../../../ui/page.tsx'
import { Pager } from '../../../ui/pager.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { Moment } from '../../../ui/time.tsx'
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
  { title: text.created, cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { title: text.signs, cell: ({ activatesAt }) => <Moment at={activatesAt} /> },
  {
    title: text.ends,
    cell: ({ retiresAt }) => (retiresAt === null ? text.open : <Moment at={retiresAt} />),
  },
]

/** The keys that sign tokens, and the way to others. */
export function KeysPlace() {
  const { page, set } = useFilters([])
  const query = useRead('GET /api/admin/keys', { input: { query: { page } }, everyMs: 60_000 })
  return (
    <Page title={text.title} lead={text.lead}>
      <Loaded query={query} rows={2} height={72}>
        {({ keys, pagination }) => (
          <>
            <DataTable
              label={text.title}
              rows={keys}
              keyOf={({ kid }) => kid}
              busy={query.isPlaceholderData}
              empty={<Empty icon="key" {...text.none} />}
              columns={COLUMNS}
            />
            <Pager pagination={pagination} onPage={(to) => set({ page: to })} />
          </>
        )}
      </Loaded>
      <KeyRotation />
    </Page>
  )
}
