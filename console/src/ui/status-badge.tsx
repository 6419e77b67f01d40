import { Badge } from '@mantine/core'

export type Tone = 'good' | 'calm' | 'waiting' | 'bad'

/** A state in one word. Its colours are readable in both schemes. */
export const StatusBadge = ({ tone, children }: { tone: Tone; children: string }) => (
  <Badge className={`tone-${tone}`} variant="transparent" tt="none" fw={600} radius="sm" miw="max-content">
    {children}
  </Badge>
)
