import { Button, Menu } from '@mantine/core'
import { useLocation } from 'wouter'
import { useMe } from '../me.tsx'
import { roles } from '../text/roles.ts'
import { shell } from '../text/shell.ts'
import { Icon } from '../ui/icon.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'

/**
 * Selects the current tenant. It is part of the URL, so that two tabs can use different tenants. Pages of the instance
 * have no tenant, and operators may be in none.
 */
export function TenantSwitcher() {
  const { access, tenants } = useMe()
  const [location, navigate] = useLocation()
  const [, slug, section] = /^\/t\/([^/]+)(?:\/([^/]+))?/.exec(location) ?? []
  const current = tenants.find((tenant) => tenant.slug === slug)
  const isOperatorWithout = access.superAdmin && tenants.length === 0
  if (/^\/instance(\/|$)/.test(location) || (isOperatorWithout && location !== '/new-tenant')) return null
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <Button
          variant="default"
          size="compact-md"
          rightSection={<Icon name="chevron" size={16} />}
          aria-label={current ? `${shell.switchTenant}: ${current.name}` : shell.chooseTenant}
          maw={{ base: '48vw', sm: 260 }}
        >
          {current?.name ?? shell.chooseTenant}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{tenants.length > 0 ? shell.switchTenant : shell.noTenants}</Menu.Label>
        {tenants.map((tenant) => (
          <Menu.Item
            key={tenant.id}
            onClick={() => navigate(`/t/${tenant.slug}/${section ?? 'members'}`)}
            leftSection={tenant.slug === slug ? <Icon name="check" size={16} /> : <span style={{ width: 16 }} />}
            rightSection={
              <StatusBadge tone="calm" size="xs">
                {roles[tenant.role]}
              </StatusBadge>
            }
          >
            {tenant.name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="plus" size={16} />} onClick={() => navigate('/new-tenant')}>
          {shell.newTenant}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
