import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'

export type Tone = 'good' | 'plain' | 'warn' | 'bad'

const COLORS: Record<Tone, string> = { good: 'teal', plain: 'gray', warn: 'orange', bad: 'red' }

/** A word on the state of something. The letters are those of the text, so that all can read them. */
export const Tag = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <Badge
    variant="light"
    color={COLORS[tone]}
    tt="none"
    fw={600}
    c="var(--mantine-color-text)"
    style={{ flexShrink: 0 }}
  >
    {children}
  </Badge>
)
