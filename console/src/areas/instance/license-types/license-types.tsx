import { Button, Group } from '@mantine/core'
import { Link } from 'wouter'
import { useApiQuery } from '../../../api/use-api.ts'
import { applications } from '../../../text/applications.ts'
import { instance } from '../../../text/instance.ts'
import { licenseTypes as text } from '../../../text/license-types.ts'
import { Page } from '../../../ui/page.tsx'
import { EmptyState, QueryContent } from '../../../ui/states.tsx'
import { useFilters } from '../../../ui/use-filters.ts'
import { findLastApplication } from '../applications/last-application.ts'
import { ApplicationSelect } from './application-select.tsx'
import { LicenseTypesSection } from './license-types-section.tsx'

/** The license types of the selected application: at first the one that was open last. */
export function LicenseTypesPage() {
  const { values, set } = useFilters(['application'])
  const firstApplication = useApiQuery('GET /api/admin/applications', {
    input: { query: { sort: 'name', limit: 1 } },
  })
  return (
    <Page title={text.title} lead={text.lead}>
      <QueryContent query={firstApplication}>
        {({ applications: [fallback] }) => {
          const applicationId = values.application || findLastApplication() || fallback?.id
          if (applicationId === undefined) return <NoApplications />
          return (
            <>
              <Group>
                <ApplicationSelect value={applicationId} onChange={(application) => set({ application })} />
              </Group>
              <LicenseTypesSection key={applicationId} applicationId={applicationId} />
            </>
          )
        }}
      </QueryContent>
    </Page>
  )
}

const NoApplications = () => (
  <EmptyState
    icon="grid"
    title={applications.none.title}
    text={applications.none.text}
    action={
      <Button component={Link} href="/applications/new">
        {instance.first.action}
      </Button>
    }
  />
)
