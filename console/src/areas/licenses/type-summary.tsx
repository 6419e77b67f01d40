import { Badge, Group, Stack, Text, Title } from '@mantine/core'
import { licenses as text } from '../../text/licenses.ts'
import { describePeriod } from './period.ts'
import { SeatBar } from './seat-bar.tsx'
import type { LicensedApplication, LicensedType } from './types.ts'

/** What was bought of one license type: its seats, how long it lasts and what it opens. */
export function TypeSummary({
  type,
  mode,
}: {
  type: LicensedType
  mode: LicensedApplication['licensingMode']
}) {
  const period = describePeriod(type, mode)
  return (
    <Stack gap={8}>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Title order={3} size="h6">
            {type.name}
          </Title>
          {type.status && <StatusBadge status={type.status} />}
        </Group>
        {period && !period.isAlarming && (
          <Text size="sm" c="dimmed">
            {period.text}
          </Text>
        )}
      </Group>
      {type.description !== null && (
        <Text size="sm" c="dimmed">
          {type.description}
        </Text>
      )}
      {mode === 'PER_SEAT' && <SeatBar type={type} />}
      {period?.isAlarming && (
        <Text size="sm" fw={500} className={type.status === 'PAST_DUE' ? 'alarming' : undefined}>
          {period.text}
        </Text>
      )}
      <Features type={type} />
    </Stack>
  )
}

const LOOKS = {
  ACTIVE: { color: 'teal', className: 'status-good' },
  TRIALING: { color: 'brand' },
  CANCELED: { color: 'gray' },
  PAST_DUE: { color: 'red.9', variant: 'filled' },
  EXPIRED: { color: 'gray' },
}

const StatusBadge = ({ status }: { status: NonNullable<LicensedType['status']> }) => (
  <Badge tt="none" fw={600} variant="light" {...LOOKS[status]}>
    {text.status[status]}
  </Badge>
)

function Features({ type }: { type: LicensedType }) {
  const open = Object.keys(type.features).filter((key) => type.features[key])
  if (open.length === 0) return null
  return (
    <Group gap={6} component="ul" aria-label={text.features} className="plain-list">
      {open.sort().map((key) => (
        <Badge component="li" key={key} variant="default" tt="none" fw={400} size="md">
          {key}
        </Badge>
      ))}
    </Group>
  )
}
