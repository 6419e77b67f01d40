import { ActionIcon, Group, Select, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { shell } from '../text/shell.ts'
import { formatNumber } from './format.ts'
import { Icon } from './icon.tsx'
import { PAGE_SIZES } from './use-filters.ts'

interface Pagination {
  page: number
  limit: number
  total: number
  /** False if the total is a lower bound. */
  totalIsExact?: boolean
}

interface PagerProps {
  pagination: Pagination
  onPage: (page: number) => void
  /** Missing if the page size is fixed. */
  onLimit?: (limit: number) => void
}

/** Above this number of pages, a page can be chosen by its number. */
const MIN_PAGES_TO_JUMP = 3

/** Page navigation. Renders nothing if all entries fit on the smallest page. */
export function Pager({ pagination, onPage, onLimit }: PagerProps) {
  const { page, limit, total, totalIsExact = true } = pagination
  if (total <= (onLimit ? PAGE_SIZES[0] : limit) && page === 1) return null
  const last = Math.max(1, Math.ceil(total / limit))
  const range = shell.pages.range(
    Math.min((page - 1) * limit + 1, total),
    Math.min(page * limit, total),
    `${formatNumber(total)}${totalIsExact ? '' : '+'}`,
  )
  return (
    <Group justify="flex-end" gap="xs" role="navigation" aria-label={shell.pages.label}>
      {onLimit && <PageSize limit={limit} onLimit={onLimit} />}
      <Text size="sm" c="dimmed" aria-live="polite">
        {range}
      </Text>
      <ActionIcon
        variant="default"
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
        aria-label={shell.pages.previous}
      >
        <Icon name="left" size={16} />
      </ActionIcon>
      {totalIsExact && last > MIN_PAGES_TO_JUMP && <PageNumber key={page} page={page} last={last} onPage={onPage} />}
      <ActionIcon
        variant="default"
        disabled={page >= last}
        onClick={() => onPage(page + 1)}
        aria-label={shell.pages.next}
      >
        <Icon name="right" size={16} />
      </ActionIcon>
    </Group>
  )
}

const PageSize = ({ limit, onLimit }: { limit: number; onLimit: (limit: number) => void }) => (
  <Select
    aria-label={shell.pages.size}
    data={PAGE_SIZES.map((size) => ({ value: String(size), label: shell.pages.perPage(size) }))}
    value={String(limit)}
    onChange={(size) => size !== null && onLimit(Number(size))}
    allowDeselect={false}
    size="xs"
    w={128}
  />
)

/** Goes to the typed page on Enter. */
function PageNumber({ page, last, onPage }: { page: number; last: number; onPage: (page: number) => void }) {
  const [typed, setTyped] = useState(String(page))
  const jump = (event: FormEvent) => {
    event.preventDefault()
    const wanted = Number.parseInt(typed, 10)
    if (wanted >= 1) onPage(Math.min(wanted, last))
  }
  return (
    <form onSubmit={jump}>
      <Group gap={6} wrap="nowrap">
        <TextInput
          aria-label={shell.pages.number}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          inputMode="numeric"
          maxLength={7}
          size="xs"
          w={56}
        />
        <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {shell.pages.of(last)}
        </Text>
      </Group>
    </form>
  )
}
