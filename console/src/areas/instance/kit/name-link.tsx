import { Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import { LINK } from '../../../ui/link-color.ts'

/** A link with a note below. */
export const NameLink = ({ href, name, note }: { href: string; name: string; note: string }) => (
  <div>
    <Anchor component={Link} href={href} size="sm" fw={600} c={LINK}>
      {name}
    </Anchor>
    <Text size="xs" c="dimmed">
      {note}
    </Text>
  </div>
)
