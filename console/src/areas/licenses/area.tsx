import { Route, Switch } from 'wouter'
import { useRead } from '../../api/use-api.ts'
import { licenses as text } from '../../text/licenses.ts'
import { NotFound } from '../../ui/not-found.tsx'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { useTenant } from '../tenant/tenant.ts'
import { ApplicationPlace } from './application.tsx'
import { OverviewPlace } from './overview.tsx'
import { HOLDINGS } from './types.ts'
import './licenses.css'

/** What a tenant has bought, and who uses it. */
export const LicensesArea = () => (
  <Switch>
    <Route path="/" component={OverviewPlace} />
    <Route path="/:slug">{({ slug }) => <Chosen key={slug} slug={slug} />}</Route>
    <Route>
      <NotFound />
    </Route>
  </Switch>
)

/** The application that the address names. */
function Chosen({ slug }: { slug: string }) {
  const tenant = useTenant()
  const query = useRead(HOLDINGS, { input: { path: { id: tenant.id } } })
  if (query.data === undefined) {
    return (
      <Page title={text.title}>
        <Loaded query={query} rows={8}>
          {() => null}
        </Loaded>
      </Page>
    )
  }
  const application = query.data.applications.find((each) => each.slug === slug)
  return application ? <ApplicationPlace application={application} /> : <NotFound />
}
