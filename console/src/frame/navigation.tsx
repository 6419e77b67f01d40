import { NavLink, ScrollArea, Text } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { useMe } from '../me.tsx'
import { shell } from '../text/shell.ts'
import { Icon, type IconName } from '../ui/icon.tsx'

interface NavItem {
  href: string
  label: string
  icon: IconName
}

const { nav } = shell

const ACCOUNT_ITEMS: NavItem[] = [
  { href: '/account/profile', label: nav.account.profile, icon: 'user' },
  { href: '/account/security', label: nav.account.security, icon: 'shield' },
  { href: '/account/sessions', label: nav.account.sessions, icon: 'device' },
  { href: '/account/data', label: nav.account.data, icon: 'box' },
]

const INSTANCE_ITEMS: NavItem[] = [
  { href: '/instance', label: nav.instance.home, icon: 'home' },
  { href: '/instance/applications', label: nav.instance.applications, icon: 'grid' },
  { href: '/instance/license-types', label: nav.instance.licenseTypes, icon: 'tag' },
  { href: '/instance/tenants', label: nav.instance.tenants, icon: 'building' },
  { href: '/instance/users', label: nav.instance.users, icon: 'users' },
  { href: '/instance/keys', label: nav.instance.keys, icon: 'key' },
  { href: '/instance/webhooks', label: nav.instance.webhooks, icon: 'hook' },
  { href: '/instance/audit', label: nav.instance.audit, icon: 'list' },
  { href: '/instance/health', label: nav.instance.health, icon: 'pulse' },
]

/** Members see members, licenses and settings. The rest is for owners and admins. */
const tenantItems = (slug: string, isManager: boolean): NavItem[] => [
  { href: `/t/${slug}/members`, label: nav.tenant.members, icon: 'users' },
  ...(isManager ? [{ href: `/t/${slug}/invitations`, label: nav.tenant.invitations, icon: 'mail' as const }] : []),
  { href: `/t/${slug}/licenses`, label: nav.tenant.licenses, icon: 'seat' },
  ...(isManager
    ? [
        { href: `/t/${slug}/webhooks`, label: nav.tenant.webhooks, icon: 'hook' as const },
        { href: `/t/${slug}/audit`, label: nav.tenant.audit, icon: 'list' as const },
      ]
    : []),
  { href: `/t/${slug}/settings`, label: nav.tenant.settings, icon: 'gear' },
]

/** The navigation to every page the user has access to. */
export function Navigation() {
  const { access, tenants } = useMe()
  const [location] = useLocation()
  const slug = /^\/t\/([^/]+)/.exec(location)?.[1]
  const tenant = tenants.find((own) => own.slug === slug) ?? tenants[0]
  return (
    <ScrollArea>
      {tenant && <Group title={tenant.name} items={tenantItems(tenant.slug, tenant.role !== 'member')} />}
      <Group title={shell.account} items={ACCOUNT_ITEMS} />
      {access.superAdmin && <Group title={shell.instance} items={INSTANCE_ITEMS} />}
    </ScrollArea>
  )
}

function Group({ title, items }: { title: string; items: NavItem[] }) {
  const [location] = useLocation()
  return (
    <section aria-label={title}>
      <Text size="xs" fw={600} c="dimmed" px="sm" pt="md" pb={4} truncate>
        {title}
      </Text>
      {items.map(({ href, label, icon }) => {
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
