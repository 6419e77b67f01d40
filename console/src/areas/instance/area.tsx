import { lazy } from 'react'
import { Route, Switch } from 'wouter'
import { shell } from '../../text/shell.ts'
import { NotFound } from '../../ui/not-found.tsx'
import { Page } from '../../ui/page.tsx'

const TenantsPlace = lazy(() =>
  import('./tenants/tenants.tsx').then(({ TenantsPlace }) => ({ default: TenantsPlace })),
)
const TenantPlace = lazy(() =>
  import('./tenants/tenant.tsx').then(({ TenantPlace }) => ({ default: TenantPlace })),
)
const UsersPlace = lazy(() => import('./users/users.tsx').then(({ UsersPlace }) => ({ default: UsersPlace })))
const UserPlace = lazy(() => import('./users/user.tsx').then(({ UserPlace }) => ({ default: UserPlace })))
const KeysPlace = lazy(() => import('./keys/keys.tsx').then(({ KeysPlace }) => ({ default: KeysPlace })))
const WebhooksPlace = lazy(() =>
  import('./webhooks/webhooks.tsx').then(({ WebhooksPlace }) => ({ default: WebhooksPlace })),
)
const AuditPlace = lazy(() => import('./audit/audit.tsx').then(({ AuditPlace }) => ({ default: AuditPlace })))
const HealthPlace = lazy(() =>
  import('./health/health.tsx').then(({ HealthPlace }) => ({ default: HealthPlace })),
)

/** For those who run the instance. */
export const InstanceArea = () => (
  <Switch>
    <Route path="/">
      <Page title={shell.instance}>{null}</Page>
    </Route>
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
