import { Button, Paper, Stack } from '@mantine/core'
import { Link } from 'wouter'
import { useApiQuery } from '../../api/use-api.ts'
import { useMe } from '../../me.tsx'
import { licenses as text } from '../../text/licenses.ts'
import { Page } from '../../ui/page.tsx'
import { EmptyState, QueryContent } from '../../ui/states.tsx'
import { useTenant } from '../tenant/tenant.ts'
import { ApplicationCard } from './application-card.tsx'
import { TENANT_LICENSES } from './types.ts'

/** All applications that the tenant may use. */
export function LicensesOverviewPage() {
  const tenant = useTenant()
  const query = useApiQuery(TENANT_LICENSES, { input: { path: { id: tenant.id } } })
  return (
    <Page title={text.title} lead={text.lead(tenant.name)}>
      <QueryContent query={query} skeletonRows={2} skeletonHeight={280}>
        {({ applications }) =>
          applications.length === 0 ? (
            <NoLicenses />
          ) : (
            <Stack gap="lg">
              {applications.map((application) => (
                <ApplicationCard key={application.id} application={application} />
              ))}
            </Stack>
          )
        }
      </QueryContent>
    </Page>
  )
}

function NoLicenses() {
  const tenant = useTenant()
  const { access } = useMe()
  return (
    <Paper>
      <EmptyState
        icon="seat"
        title={text.none.title}
        text={text.none.text(tenant.name)}
        action={
          access.superAdmin && (
            <Button component={Link} href={`~/console/instance/tenants/${tenant.id}`} variant="light">
              {text.none.operator}
            </Button>
          )
        }
      />
    </Paper>
  )
}
