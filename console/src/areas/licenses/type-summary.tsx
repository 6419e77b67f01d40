import { Group, Stack, Text, Title } from '@mantine/core'
import { licenses as text } from '../../text/licenses.ts'
import { SeatBar } from '../../ui/seat-bar.tsx'
import { SubscriptionBadge } from '../../ui/subscription-badge.tsx'
import { Tag } from '../../ui/tag.tsx'
import { describePeriod } from './period.ts'
import { isUsable, type LicensedApplication, type LicensedType } from './types.ts'

/** The seats, validity and features of one license type. */
export function TypeSummary({ type, mode }: { type: LicensedType; mode: LicensedApplication['licensingMode'] }) {
  const period = describePeriod(type, mode)
  return (
    <Stack gap={8}>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Title order={3} size="h6">
            {type.name}
          </Title>
          {type.status && <SubscriptionBadge status={type.status} />}
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
      {mode === 'PER_SEAT' && <SeatBar {...type} usable={isUsable(type)} />}
      {period?.isAlarming && (
        <Text size="sm" fw={500} className={type.status === 'PAST_DUE' ? 'alarming' : undefined}>
          {period.text}
        </Text>
      )}
      <Features type={type} />
    </Stack>
  )
}

function Features({ type }: { type: LicensedType }) {
  const enabled = Object.keys(type.features).filter((key) => type.features[key])
  if (enabled.length === 0) return null
  return (
    <Group gap={6} component="ul" aria-label={text.features} className="plain-list">
      {enabled.sort().map((key) => (
        <li key={key}>
          <Tag>{key}</Tag>
        </li>
      ))}
    </Group>
  )
}
