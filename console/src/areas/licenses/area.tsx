import { useDeferredValue } from 'react'
import { Route, Switch } from 'wouter'
import { useApiQuery } from '../../api/use-api.ts'
import { licenses as text } from '../../text/licenses.ts'
import { NotFound } from '../../ui/not-found.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryContent } from '../../ui/states.tsx'
import { useTenant } from '../tenant/tenant.ts'
import { ApplicationLicensesPage } from './application.tsx'
import { LicensesOverviewPage } from './overview.tsx'
import { TENANT_LICENSES } from './types.ts'
import './licenses.css'

/** The license pages of a tenant. */
export const LicensesArea = () => (
  <Switch>
    <Route path="/" component={LicensesOverviewPage} />
    <Route path="/:slug">{({ slug }) => <ApplicationRoute key={slug} slug={slug} />}</Route>
    <Route>
      <NotFound />
    </Route>
  </Switch>
)

/** The page of the application in the URL. */
function ApplicationRoute({ slug }: { slug: string }) {
  const tenant = useTenant()
  const query = useApiQuery(TENANT_LICENSES, { input: { path: { id: tenant.id } } })
  // Rendered in slices, because the page is large.
  const data = useDeferredValue(query.data)
  if (data === undefined) {
    return (
      <Page title={text.title}>
        <QueryContent query={query} skeletonRows={8}>
          {() => null}
        </QueryContent>
      </Page>
    )
  }
  const application = data.applications.find((candidate) => candidate.slug === slug)
  return application ? <ApplicationLicensesPage application={application} /> : <NotFound />
}
