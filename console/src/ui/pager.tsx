import { ActionIcon, Group, Text } from '@mantine/core'
import { shell } from '../text/shell.ts'
import { Icon } from './icon.tsx'

interface Pagination {
  page: number
  limit: number
  total: number
  /** False if the total is a lower bound. */
  totalIsExact?: boolean
}

/** Page navigation. Renders nothing if there is only one page. */
export function Pager({ pagination, onPage }: { pagination: Pagination; onPage: (page: number) => void }) {
  const { page, limit, total, totalIsExact = true } = pagination
  if (total <= limit && page === 1) return null
  const last = Math.max(1, Math.ceil(total / limit))
  const range = shell.pages.range(
    Math.min((page - 1) * limit + 1, total),
    Math.min(page * limit, total),
    `${total.toLocaleString()}${totalIsExact ? '' : '+'}`,
  )
  return (
    <Group justify="flex-end" gap="xs" role="navigation">
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
