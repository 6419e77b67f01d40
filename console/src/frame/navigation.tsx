import { NavLink, ScrollArea, Text } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { useMe } from '../me.tsx'
import { Icon } from '../ui/icon.tsx'
import { listPages, type PageGroup } from './pages.ts'

/** The navigation to every page the user has access to. */
export function Navigation() {
  const me = useMe()
  const [location] = useLocation()
  return (
    <ScrollArea>
      {listPages(me, location).map((group) => (
        <Group key={group.title} {...group} />
      ))}
    </ScrollArea>
  )
}

function Group({ title, pages }: PageGroup) {
  const [location] = useLocation()
  return (
    <section aria-label={title}>
      <Text size="xs" fw={600} c="dimmed" px="sm" pt="md" pb={4} truncate>
        {title}
      </Text>
      {pages.map(({ href, label, icon }) => {
        const active = href === '/instance' ? location === href : location === href || location.startsWith(`${href}/`)
        return (
          <NavLink
            key={href}
            component={Link}
            href={href}
            label={label}
            leftSection={<Icon name={icon} />}
            active={active}
            {...(active && { 'aria-current': 'page' as const })}
          />
        )
      })}
    </section>
  )
}
