import { Alert } from '@mantine/core'
import type { Reply } from 'latchkey-sdk'
import { useRead } from '../../../api/use-api.ts'
import { allTenants as text } from '../../../text/all-tenants.ts'
import { AddressTabs } from '../../../ui/address-tabs.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { AuditLink } from '../kit/audit-link.tsx'
import { Found } from '../kit/found.tsx'
import { TenantMembers } from './members/members.tsx'
import { TenantOverview } from './overview.tsx'
import { TenantState } from './state.tsx'
import { TenantLicenses } from './subscriptions/licenses.tsx'

export type AnyTenant = Reply<'GET /api/admin/tenants/{id}'>

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
  const { tabs } = text
  return (
    <Page
      title={tenant.name}
      back={{ href: '/tenants', label: text.all }}
      badges={<TenantState suspended={tenant.suspended} />}
      lead={tenant.slug}
      actions={<AuditLink href={`/audit?tenantId=${tenant.id}`} label={text.audit} />}
    >
      {tenant.suspended && (
        <Alert color="red" icon={<Icon name="warning" />} title={text.suspension.banner.title}>
          {text.suspension.banner.text}
        </Alert>
      )}
      <AddressTabs
        label={tabs.label}
        tabs={[
          { name: 'overview', title: tabs.overview, content: <TenantOverview tenant={tenant} /> },
          { name: 'members', title: tabs.members, content: <TenantMembers tenant={tenant} /> },
          { name: 'licenses', title: tabs.licenses, content: <TenantLicenses tenant={tenant} /> },
        ]}
      />
    </Page>
  )
}
