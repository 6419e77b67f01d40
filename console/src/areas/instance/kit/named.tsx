import { Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import { LINK } from '../../../ui/link-color.ts'

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
