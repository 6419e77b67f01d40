import { Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'

/** Also read on a row that one rests on, which is lighter in the dark. */
export const LINK = 'light-dark(var(--mantine-color-brand-7), var(--mantine-color-brand-2))'

/** The name of a row, which leads to it, with what tells it from others of that name. */
export const Named = ({ href, name, note }: { href: string; name: string; note: string }) => (
  <div>
    <Anchor component={Link} href={href} size="sm" fw={600} c={LINK}>
      {name}
    </Anchor>
    <Text size="xs" c="dimmed">
      {note}
    </Text>
  </div>
)
