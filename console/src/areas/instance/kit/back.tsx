import { Anchor, Group } from '@mantine/core'
import { Link } from 'wouter'
import { Icon } from '../../../ui/icon.tsx'

/** The way back to the list that something stands in. */
export const Back = ({ href, label }: { href: string; label: string }) => (
  <Anchor component={Link} href={href} size="sm" mb="xs" display="inline-block">
    <Group gap={2} wrap="nowrap">
      <Icon name="left" size={16} />
      {label}
    </Group>
  </Anchor>
)
