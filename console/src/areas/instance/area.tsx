import { type ComponentType, lazy } from 'react'
import { Route, Switch } from 'wouter'
import { NotFound } from '../../ui/not-found.tsx'

/** A page in a chunk of its own, loaded on demand. */
const lazyPage = <P,>(load: () => Promise<ComponentType<P>>) =>
  lazy(() => load().then((component) => ({ default: component })))

const HomePage = lazyPage(() => import('./home/home.tsx').then((file) => file.HomePage))
const ApplicationsPage = lazyPage(() => import('./applications/applications.tsx').then((file) => file.ApplicationsPage))
const NewApplicationPage = lazyPage(() =>
  import('./applications/new-application.tsx').then((file) => file.NewApplicationPage),
)
const ApplicationPage = lazyPage(() => import('./applications/application.tsx').then((file) => file.ApplicationPage))
const LogoutsPage = lazyPage(() => import('./applications/clients/logouts.tsx').then((file) => file.LogoutsPage))
const LicenseTypesPage = lazyPage(() =>
  import('./license-types/license-types.tsx').then((file) => file.LicenseTypesPage),
)
const TenantsPage = lazyPage(() => import('./tenants/tenants.tsx').then((file) => file.TenantsPage))
const TenantPage = lazyPage(() => import('./tenants/tenant.tsx').then((file) => file.TenantPage))
const UsersPage = lazyPage(() => import('./users/users.tsx').then((file) => file.UsersPage))
const UserPage = lazyPage(() => import('./users/user.tsx').then((file) => file.UserPage))
const KeysPage = lazyPage(() => import('./keys/keys.tsx').then((file) => file.KeysPage))
const InstanceWebhooksPage = lazyPage(() => import('./webhooks.tsx').then((file) => file.InstanceWebhooksPage))
const MailsArea = lazyPage(() => import('../../parts/mails/mails-area.tsx').then((file) => file.MailsArea))
const InstanceAuditPage = lazyPage(() => import('./audit.tsx').then((file) => file.InstanceAuditPage))
const HealthPage = lazyPage(() => import('./health/health.tsx').then((file) => file.HealthPage))

/** The pages for super admins. */
export const InstanceArea = () => (
  <Switch>
    <Route path="/" component={HomePage} />
    <Route path="/applications" component={ApplicationsPage} />
    <Route path="/applications/new" component={NewApplicationPage} />
    <Route path="/applications/:id">{({ id }) => <ApplicationPage key={id} id={id} />}</Route>
    <Route path="/applications/:applicationId/clients/:id/logouts">
      {({ applicationId, id }) => <LogoutsPage key={id} applicationId={applicationId} clientId={id} />}
    </Route>
    <Route path="/license-types" component={LicenseTypesPage} />
    <Route path="/tenants" component={TenantsPage} />
    <Route path="/tenants/:id">{({ id }) => <TenantPage key={id} id={id} />}</Route>
    <Route path="/users" component={UsersPage} />
    <Route path="/users/:id">{({ id }) => <UserPage key={id} id={id} />}</Route>
    <Route path="/keys" component={KeysPage} />
    <Route path="/webhooks" nest>
      <InstanceWebhooksPage />
    </Route>
    <Route path="/mails" nest>
      <MailsArea />
    </Route>
    <Route path="/audit" component={InstanceAuditPage} />
    <Route path="/health" component={HealthPage} />
    <Route>
      <NotFound />
    </Route>
  </Switch>
)
