import { Group, Progress, Text } from '@mantine/core'
import { subscriptions as text } from '../../../../text/subscriptions.ts'
import type { AnySubscription } from './subscriptions.tsx'

/** How full a subscription is: in words, and as a bar for those who look. */
export function SeatBar({ subscription }: { subscription: AnySubscription }) {
  const { quantityAssigned, quantityPurchased, quantityAvailable, licenseTypeName } = subscription
  const share = quantityPurchased === 0 ? 0 : Math.min(100, (100 * quantityAssigned) / quantityPurchased)
  return (
    <div style={{ minWidth: 140, maxWidth: 240 }}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm">{text.used(quantityAssigned, quantityPurchased)}</Text>
        <Text size="xs" c="dimmed">
          {text.free(quantityAvailable)}
        </Text>
      </Group>
      <Progress
        value={share}
        size="sm"
        mt={4}
        color={share >= 100 ? 'orange' : 'brand'}
        aria-label={text.barLabel(licenseTypeName)}
      />
    </div>
  )
}
