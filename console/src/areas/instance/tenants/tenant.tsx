import { Alert, Button, Tabs } from '@mantine/core'
import type { Reply } from 'latchkey-sdk'
import { Link, useSearchParams } from 'wouter'
import { useRead } from '../../../api/use-api.ts'
import { allTenants as text } from '../../../text/all-tenants.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { Back } from '../kit/back.tsx'
import { Found } from '../kit/found.tsx'
import { TenantMembers } from './members/members.tsx'
import { TenantOverview } from './overview.tsx'
import { TenantLicenses } from './subscriptions/licenses.tsx'

export type AnyTenant = Reply<'GET /api/admin/tenants/{id}'>

const TABS = ['overview', 'members', 'licenses'] as const

/** One tenant, for those who run the instance. */
export function TenantPlace({ id }: { id: string }) {
  const query = useRead('GET /api/admin/tenants/{id}', { input: { path: { id } } })
  return (
    <Found query={query} title={text.one}>
      {(tenant) => <Shown tenant={tenant} />}
    </Found>
  )
}

function Shown({ tenant }: { tenant: AnyTenant }) {
  const [parameters, setParameters] = useSearchParams()
  const tab = TABS.find((name) => name === parameters.get('tab')) ?? 'overview'
  // What one searched for in one part is of no use in another.
  const turnTo = (name: string | null) =>
    setParameters(name === null || name === 'overview' ? {} : { tab: name }, { replace: true })
  return (
    <div>
      <Back href="/tenants" label={text.title} />
      <Page
        title={tenant.name}
        lead={tenant.slug}
        actions={
          <Button
            component={Link}
            href={`/audit?tenantId=${tenant.id}`}
            variant="default"
            leftSection={<Icon name="list" size={16} />}
          >
            {text.audit}
          </Button>
        }
      >
        {tenant.suspended && (
          <Alert color="red" icon={<Icon name="warning" />} title={text.suspension.banner.title}>
            {text.suspension.banner.text}
          </Alert>
        )}
        <Tabs value={tab} onChange={turnTo} keepMounted={false}>
          <Tabs.List aria-label={text.tabs.label} mb="lg">
            {TABS.map((name) => (
              <Tabs.Tab key={name} value={name}>
                {text.tabs[name]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="overview">
            <TenantOverview tenant={tenant} />
          </Tabs.Panel>
          <Tabs.Panel value="members">
            <TenantMembers tenant={tenant} />
          </Tabs.Panel>
          <Tabs.Panel value="licenses">
            <TenantLicenses tenant={tenant} />
          </Tabs.Panel>
        </Tabs>
      </Page>
    </div>
  )
}
