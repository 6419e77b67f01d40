import { Group, Progress, Text } from '@mantine/core'
import { seatBar as text } from '../text/seats.ts'

interface SeatBarProps {
  /** The name of the license type. */
  name: string
  purchased: number
  assigned: number
  available: number
  /** False if the subscription has expired. */
  usable: boolean
}

/** A bar and a legend of assigned, reserved and free seats. */
export function SeatBar(seats: SeatBarProps) {
  const { name, purchased, assigned, available, usable } = seats
  const reserved = Math.max(0, purchased - assigned - available)
  const percentOf = (count: number) => (purchased === 0 ? 0 : (Math.min(count, purchased) / purchased) * 100)
  const legend = usable ? describe(seats, reserved) : [text.dormant(purchased)]
  return (
    <div className="seat-bar">
      <Progress.Root size={12} radius="xl" aria-hidden="true">
        <Progress.Section value={percentOf(assigned)} color={usable ? 'brand' : 'gray'} />
        {usable && reserved > 0 && <Progress.Section value={percentOf(reserved)} color="brand.3" striped />}
      </Progress.Root>
      <Group component="ul" gap="md" mt={6} className="plain-list" style={{ rowGap: 0 }} aria-label={text.label(name)}>
        {legend.map((entry, index) => (
          <Text component="li" size="sm" key={entry} {...(index > 0 && entry !== text.full && { c: 'dimmed' })}>
            {entry}
          </Text>
        ))}
      </Group>
    </div>
  )
}

function describe({ purchased, assigned, available }: SeatBarProps, reserved: number): string[] {
  return [
    text.used(assigned, purchased),
    ...(reserved > 0 ? [text.reserved(reserved)] : []),
    ...(assigned > purchased ? [text.over(assigned - purchased)] : []),
    available > 0 ? text.left(available) : text.full,
  ]
}
