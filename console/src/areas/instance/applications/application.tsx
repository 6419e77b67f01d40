import { Anchor, Group, Tabs, Text } from '@mantine/core'
import { LatchkeyError } from 'latchkey-sdk/error'
import { Link } from 'wouter'
import { useRead } from '../../../api/use-api.ts'
import { applications as text } from '../../../text/applications.ts'
import { Copyable } from '../../../ui/copy.tsx'
import { NotFound } from '../../../ui/not-found.tsx'
import { Page } from '../../../ui/page.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useFilters } from '../../../ui/use-filters.ts'
import { LicenseTypesSection } from '../license-types/license-types-section.tsx'
import { BrandingSection } from './branding/branding-section.tsx'
import { ClientsSection } from './clients/clients-section.tsx'
import { DangerZone } from './danger-zone.tsx'
import { SettingsSection } from './settings-section.tsx'

const TABS = ['clients', 'licenseTypes', 'branding', 'settings'] as const
type Tab = (typeof TABS)[number]

/** One application with everything that belongs to it. */
export function ApplicationPlace({ id }: { id: string }) {
  const query = useRead('GET /api/admin/applications/{id}', { input: { path: { id } } })
  const { values, set } = useFilters(['tab'])
  const tab: Tab = TABS.find((name) => name === values.tab) ?? 'clients'
  if (query.error instanceof LatchkeyError && query.error.status === 404) return <NotFound />
  return (
    <Page title={query.data?.name ?? text.one} lead={<Back />} actions={<Id id={id} />}>
      <Tabs
        value={tab}
        onChange={(name) => set({ tab: name === 'clients' ? null : name })}
        keepMounted={false}
      >
        <Tabs.List aria-label={text.tabs.label} mb="lg">
          {TABS.map((name) => (
            <Tabs.Tab key={name} value={name} px={{ base: 'xs', sm: 'md' }}>
              {text.tabs[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Loaded query={query} rows={3} height={90}>
          {(application) => (
            <>
              <Tabs.Panel value="clients">
                <ClientsSection application={application} />
              </Tabs.Panel>
              <Tabs.Panel value="licenseTypes">
                <LicenseTypesSection applicationId={id} />
              </Tabs.Panel>
              <Tabs.Panel value="branding">
                <BrandingSection application={application} />
              </Tabs.Panel>
              <Tabs.Panel value="settings">
                <SettingsSection key={application.updatedAt} application={application} />
                <DangerZone application={application} />
              </Tabs.Panel>
            </>
          )}
        </Loaded>
      </Tabs>
    </Page>
  )
}

const Back = () => (
  <Anchor component={Link} href="/applications" size="sm">
    {text.all}
  </Anchor>
)

const Id = ({ id }: { id: string }) => (
  <Group gap={6} wrap="nowrap" miw={0}>
    <Text size="sm" c="dimmed" flex="none">
      {text.idLabel}
    </Text>
    <Copyable value={id} label={text.id} />
  </Group>
)
