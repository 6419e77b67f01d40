import { Group, Progress, Text } from '@mantine/core'
import { seatBar as text } from '../text/seats.ts'

interface SeatBarProps {
  /** What the seats are of. */
  name: string
  purchased: number
  assigned: number
  available: number
  /** False where nobody can use them at this moment. */
  usable: boolean
}

/** How many seats there are and what became of them, drawn and in words. */
export function SeatBar(seats: SeatBarProps) {
  const { name, purchased, assigned, available, usable } = seats
  const kept = Math.max(0, purchased - assigned - available)
  const share = (many: number) => (purchased === 0 ? 0 : (Math.min(many, purchased) / purchased) * 100)
  const words = usable ? describe(seats, kept) : [text.dormant(purchased)]
  return (
    <div className="seat-bar">
      <Progress.Root size={12} radius="xl" aria-hidden="true">
        <Progress.Section value={share(assigned)} color={usable ? 'brand' : 'gray'} />
        {usable && kept > 0 && <Progress.Section value={share(kept)} color="brand.3" striped />}
      </Progress.Root>
      <Group
        component="ul"
        gap="md"
        mt={6}
        className="plain-list"
        style={{ rowGap: 0 }}
        aria-label={text.label(name)}
      >
        {words.map((word, index) => (
          <Text component="li" size="sm" key={word} {...(index > 0 && word !== text.full && { c: 'dimmed' })}>
            {word}
          </Text>
        ))}
      </Group>
    </div>
  )
}

function describe({ purchased, assigned, available }: SeatBarProps, kept: number): string[] {
  return [
    text.used(assigned, purchased),
    ...(kept > 0 ? [text.kept(kept)] : []),
    ...(assigned > purchased ? [text.over(assigned - purchased)] : []),
    available > 0 ? text.left(available) : text.full,
  ]
}
