import { Badge } from '@mantine/core'

/** A neutral label for a kind, without status color. */
export const Tag = ({ children, crossed = false }: { children: string; crossed?: boolean }) => (
  <Badge variant="default" tt="none" fw={500} {...(crossed && { td: 'line-through', c: 'dimmed' })}>
    {children}
  </Badge>
)
