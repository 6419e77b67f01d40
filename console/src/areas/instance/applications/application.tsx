import { Group, Text } from '@mantine/core'
import { useEffect } from 'react'
import { useApiQuery } from '../../../api/use-api.ts'
import { BrandingSection } from '../../../parts/branding/branding-section.tsx'
import { applications as text } from '../../../text/applications.ts'
import { Copyable } from '../../../ui/copy.tsx'
import { Page } from '../../../ui/page.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { UrlTabs } from '../../../ui/url-tabs.tsx'
import { DetailPage } from '../kit/detail-page.tsx'
import { LicenseTypesSection } from '../license-types/license-types-section.tsx'
import { ClientsSection } from './clients/clients-section.tsx'
import { DangerZone } from './danger-zone.tsx'
import { saveLastApplication } from './last-application.ts'
import { ResourcesSection } from './resources/resources-section.tsx'
import { SettingsSection } from './settings-section.tsx'
import type { Application } from './types.ts'

export function ApplicationPage({ id }: { id: string }) {
  const query = useApiQuery('GET /api/admin/applications/{id}', { input: { path: { id } } })
  return (
    <DetailPage query={query} title={text.one}>
      {(application) => <ApplicationDetails application={application} />}
    </DetailPage>
  )
}

function ApplicationDetails({ application }: { application: Application }) {
  const { id, name, trusted, updatedAt } = application
  useEffect(() => saveLastApplication(id), [id])
  const { tabs } = text
  const settings = (
    <>
      <SettingsSection key={updatedAt} application={application} />
      <DangerZone application={application} />
    </>
  )
  return (
    <Page
      title={name}
      back={{ href: '/applications', label: text.all }}
      badges={<Tag>{trusted ? text.trusted : text.thirdParty}</Tag>}
      actions={<Id id={id} />}
    >
      <UrlTabs
        label={tabs.label}
        tabs={[
          { name: 'clients', title: tabs.clients, content: <ClientsSection application={application} /> },
          { name: 'resources', title: tabs.resources, content: <ResourcesSection applicationId={id} /> },
          {
            name: 'licenseTypes',
            title: tabs.licenseTypes,
            content: <LicenseTypesSection applicationId={id} />,
          },
          {
            name: 'branding',
            title: tabs.branding,
            content: <BrandingSection owner={{ kind: 'application', id, name }} />,
          },
          { name: 'settings', title: tabs.settings, content: settings },
        ]}
      />
    </Page>
  )
}

const Id = ({ id }: { id: string }) => (
  <Group gap={6} wrap="nowrap" miw={0}>
    <Text size="sm" c="dimmed" flex="none">
      {text.idLabel}
    </Text>
    <Copyable value={id} label={text.id} />
  </Group>
)
