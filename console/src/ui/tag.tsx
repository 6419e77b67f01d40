import { Badge } from '@mantine/core'

/** What kind of thing it is, in a word or two. It tells of no state, so it has no color. */
export const Tag = ({ children, crossed = false }: { children: string; crossed?: boolean }) => (
  <Badge variant="default" tt="none" fw={500} {...(crossed && { td: 'line-through', c: 'dimmed' })}>
    {children}
  </Badge>
)
