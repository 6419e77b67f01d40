import { Alert } from '@mantine/core'
import { useApiQuery } from '../../../api/use-api.ts'
import { allTenants as text } from '../../../text/all-tenants.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { UrlTabs } from '../../../ui/url-tabs.tsx'
import { AuditLink } from '../kit/audit-link.tsx'
import { DetailPage } from '../kit/detail-page.tsx'
import { TenantMembers } from './members/members.tsx'
import { TenantOverview } from './overview.tsx'
import { TenantLicenses } from './subscriptions/licenses.tsx'
import { TenantStatusBadge } from './tenant-status-badge.tsx'
import type { AdminTenant } from './types.ts'

/** The page of one tenant. */
export function TenantPage({ id }: { id: string }) {
  const query = useApiQuery('GET /api/admin/tenants/{id}', { input: { path: { id } } })
  return (
    <DetailPage query={query} title={text.one}>
      {(tenant) => <TenantDetails tenant={tenant} />}
    </DetailPage>
  )
}

function TenantDetails({ tenant }: { tenant: AdminTenant }) {
  const { tabs } = text
  return (
    <Page
      title={tenant.name}
      back={{ href: '/tenants', label: text.all }}
      badges={<TenantStatusBadge suspended={tenant.suspended} />}
      lead={tenant.slug}
      actions={<AuditLink href={`/audit?tenantId=${tenant.id}`} label={text.audit} />}
    >
      {tenant.suspended && (
        <Alert color="red" icon={<Icon name="warning" />} title={text.suspension.banner.title}>
          {text.suspension.banner.text}
        </Alert>
      )}
      <UrlTabs
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
