import { Button, Paper, Stack } from '@mantine/core'
import { Link } from 'wouter'
import { useRead } from '../../api/use-api.ts'
import { useMe } from '../../me.tsx'
import { licenses as text } from '../../text/licenses.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { useTenant } from '../tenant/tenant.ts'
import { ApplicationCard } from './application-card.tsx'
import { HOLDINGS } from './types.ts'

/** Every application that the tenant may use. */
export function OverviewPlace() {
  const tenant = useTenant()
  const query = useRead(HOLDINGS, { input: { path: { id: tenant.id } } })
  return (
    <Page title={text.title} lead={text.lead(tenant.name)}>
      <Loaded query={query} rows={2} height={280}>
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
      </Loaded>
    </Page>
  )
}

function NoLicenses() {
  const tenant = useTenant()
  const { access } = useMe()
  return (
    <Paper>
      <Empty
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
