import { Select, Stack, Text } from '@mantine/core'
import { deliveries as text } from '../../text/webhooks.ts'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import type { Delivery } from './webhooks-api.ts'

export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const

const TONES = { PENDING: 'waiting', DELIVERED: 'good', FAILED: 'bad' } as const

export const DeliveryStatus = ({ status }: Pick<Delivery, 'status'>) => (
  <StatusBadge tone={TONES[status]}>{text.status[status]}</StatusBadge>
)

type Status = (typeof DELIVERY_STATUSES)[number]

/** Filters a list of deliveries by status. */
export const DeliveryStatusSelect = ({
  status,
  onChange,
}: {
  status: Status | undefined
  onChange: (status: Status | null) => void
}) => (
  <Select
    label={text.filter}
    placeholder={text.any}
    data={DELIVERY_STATUSES.map((value) => ({ value, label: text.status[value] }))}
    value={status ?? null}
    onChange={onChange}
    clearable
    w={{ base: '100%', xs: 220 }}
  />
)

type Outcome = Pick<Delivery, 'status' | 'lastStatus' | 'lastError' | 'nextAttemptAt' | 'attempts'>

/** The last response and the time of the next attempt. */
export function DeliveryOutcome({
  delivery: { status, lastStatus, lastError, nextAttemptAt, attempts },
}: {
  delivery: Outcome
}) {
  const response =
    lastError !== null && !lastError.startsWith('status_')
      ? (text.errors[lastError] ?? lastError)
      : lastStatus === null
        ? text.none
        : text.answered(lastStatus)
  return (
    <Stack gap={0}>
      <Text size="sm">{response}</Text>
      {status === 'PENDING' && attempts > 0 && (
        <Text size="xs" c="dimmed">
          {nextAttemptAt === null ? text.soon : text.next(<RelativeTime at={nextAttemptAt} />)}
        </Text>
      )}
    </Stack>
  )
}
