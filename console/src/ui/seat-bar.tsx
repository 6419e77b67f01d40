import { Group, Progress, Text } from '@mantine/core'
import { licenses as text } from '../../text/licenses.ts'
import { isGood, type LicensedType } from './types.ts'

/** How many seats there are and what became of them, drawn and in words. */
export function SeatBar({ type }: { type: LicensedType }) {
  const { name, purchased, assigned, available } = type
  const good = isGood(type)
  const kept = Math.max(0, purchased - assigned - available)
  const share = (seats: number) => (purchased === 0 ? 0 : (Math.min(seats, purchased) / purchased) * 100)
  const words = good ? describe(type, kept) : [text.bar.dormant(purchased)]
  return (
    <div>
      <Progress.Root size={12} radius="xl" aria-hidden="true" className="seat-bar">
        <Progress.Section value={share(assigned)} color={good ? 'brand' : 'gray'} />
        {good && kept > 0 && <Progress.Section value={share(kept)} color="brand.3" striped />}
      </Progress.Root>
      <Group component="ul" gap="md" mt={6} className="plain-list" aria-label={text.bar.label(name)}>
        {words.map((word, index) => (
          <Text
            component="li"
            size="sm"
            key={word}
            {...(index > 0 && word !== text.bar.full && { c: 'dimmed' })}
          >
            {word}
          </Text>
        ))}
      </Group>
    </div>
  )
}

function describe({ purchased, assigned, available }: LicensedType, kept: number): string[] {
  const { bar } = text
  return [
    bar.used(assigned, purchased),
    ...(kept > 0 ? [bar.kept(kept)] : []),
    ...(assigned > purchased ? [bar.over(assigned - purchased)] : []),
    available > 0 ? bar.left(available) : bar.full,
  ]
}
