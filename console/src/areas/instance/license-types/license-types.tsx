import { Button, Group } from '@mantine/core'
import { Link } from 'wouter'
import { useRead } from '../../../api/use-api.ts'
import { applications } from '../../../text/applications.ts'
import { instance } from '../../../text/instance.ts'
import { licenseTypes as text } from '../../../text/license-types.ts'
import { Page } from '../../../ui/page.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { useFilters } from '../../../ui/use-filters.ts'
import { ApplicationSelect } from './application-select.tsx'
import { LicenseTypesSection } from './license-types-section.tsx'

/** What can be sold of each application. */
export function LicenseTypesPlace() {
  const { values, set } = useFilters(['application'])
  const first = useRead('GET /api/admin/applications', { input: { query: { sort: 'name', limit: 1 } } })
  return (
    <Page title={text.title} lead={text.lead}>
      <Loaded query={first}>
        {({ applications: [any] }) => {
          const chosen = values.application || any?.id
          if (chosen === undefined) return <NoApplications />
          return (
            <>
              <Group>
                <ApplicationSelect value={chosen} onChange={(application) => set({ application })} />
              </Group>
              <LicenseTypesSection key={chosen} applicationId={chosen} />
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

const NoApplications = () => (
  <Empty
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
