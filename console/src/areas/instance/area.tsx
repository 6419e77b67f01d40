import { type ComponentType, lazy } from 'react'
import { Route, Switch } from 'wouter'
import { NotFound } from '../../ui/not-found.tsx'

/** A place of its own file, loaded when somebody goes there. */
const place = <P,>(load: () => Promise<ComponentType<P>>) =>
  lazy(() => load().then((component) => ({ default: component })))

const HomePlace = place(() => import('./home/home.tsx').then((file) => file.HomePlace))
const ApplicationsPlace = place(() =>
  import('./applications/applications.tsx').then((file) => file.ApplicationsPlace),
)
const NewApplicationPlace = place(() =>
  import('./applications/new-application.tsx').then((file) => file.NewApplicationPlace),
)
const ApplicationPlace = place(() =>
  import('./applications/application.tsx').then((file) => file.ApplicationPlace),
)
const LicenseTypesPlace = place(() =>
  import('./license-types/license-types.tsx').then((file) => file.LicenseTypesPlace),
)
const TenantsPlace = place(() => import('./tenants/tenants.tsx').then((file) => file.TenantsPlace))
const TenantPlace = place(() => import('./tenants/tenant.tsx').then((file) => file.TenantPlace))
const UsersPlace = place(() => import('./users/users.tsx').then((file) => file.UsersPlace))
const UserPlace = place(() => import('./users/user.tsx').then((file) => file.UserPlace))
const KeysPlace = place(() => import('./keys/keys.tsx').then((file) => file.KeysPlace))
const WebhooksPlace = place(() => import('./webhooks/webhooks.tsx').then((file) => file.WebhooksPlace))
const AuditPlace = place(() => import('./audit/audit.tsx').then((file) => file.AuditPlace))
const HealthPlace = place(() => import('./health/health.tsx').then((file) => file.HealthPlace))

/** For those who run the instance. */
export const InstanceArea = () => (
  <Switch>
    <Route path="/" component={HomePlace} />
    <Route path="/applications" component={ApplicationsPlace} />
    <Route path="/applications/new" component={NewApplicationPlace} />
    <Route path="/applications/:id">{({ id }) => <ApplicationPlace key={id} id={id} />}</Route>
    <Route path="/license-types" component={LicenseTypesPlace} />
    <Route path="/tenants" component={TenantsPlace} />
    <Route path="/tenants/:id">{({ id }) => <TenantPlace key={id} id={id} />}</Route>
    <Route path="/users" component={UsersPlace} />
    <Route path="/users/:id">{({ id }) => <UserPlace key={id} id={id} />}</Route>
    <Route path="/keys" component={KeysPlace} />
    <Route path="/webhooks" nest>
      <WebhooksPlace />
    </Route>
    <Route path="/audit" component={AuditPlace} />
    <Route path="/health" component={HealthPlace} />
    <Route>
      <NotFound />
    </Route>
  </Switch>
)
