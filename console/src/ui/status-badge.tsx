import { Badge } from '@mantine/core'

export type Tone = 'good' | 'calm' | 'waiting' | 'bad'

interface StatusBadgeProps {
  tone: Tone
  /** `xs` next to a name. */
  size?: 'xs' | 'md'
  children: string
}

/** A status badge with enough contrast in both color schemes. */
export const StatusBadge = ({ tone, size = 'md', children }: StatusBadgeProps) => (
  <Badge
    className={`tone-${tone}`}
    size={size}
    variant="transparent"
    tt="none"
    fw={600}
    radius="sm"
    miw="max-content"
    style={{ flexShrink: 0 }}
  >
    {children}
  </Badge>
)
