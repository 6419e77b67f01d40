import { lazy, Suspense } from 'react'
import { Redirect, Route, Router, Switch } from 'wouter'
import { CrashBarrier } from './crash.tsx'
import { Frame } from './frame/frame.tsx'
import { MeProvider, useMe } from './me.tsx'
import { lastTenant } from './session/arrive.ts'
import { NotFound } from './ui/not-found.tsx'
import { Waiting } from './ui/states.tsx'

// Each area is loaded when somebody goes there.
const AccountArea = lazy(() =>
  import('./areas/account/area.tsx').then(({ AccountArea }) => ({ default: AccountArea })),
)
const TenantArea = lazy(() =>
  import('./areas/tenant/area.tsx').then(({ TenantArea }) => ({ default: TenantArea })),
)
const InstanceArea = lazy(() =>
  import('./areas/instance/area.tsx').then(({ InstanceArea }) => ({ default: InstanceArea })),
)
const NewTenant = lazy(() =>
  import('./areas/tenant/new-tenant.tsx').then(({ NewTenant }) => ({ default: NewTenant })),
)

export const App = () => (
  <CrashBarrier>
    <Router base="/console">
      <MeProvider>
        <Frame>
          <CrashBarrier>
            <Suspense fallback={<Waiting rows={6} />}>
              <Places />
            </Suspense>
          </CrashBarrier>
        </Frame>
      </MeProvider>
    </Router>
  </CrashBarrier>
)

function Places() {
  const { access } = useMe()
  return (
    <Switch>
      <Route path="/" component={Home} />
      <Route path="/account" nest>
        <AccountArea />
      </Route>
      <Route path="/new-tenant">
        <NewTenant />
      </Route>
      <Route path="/t/:slug" nest>
        {({ slug }) => <TenantArea key={slug} slug={slug} />}
      </Route>
      {access.superAdmin && (
        <Route path="/instance" nest>
          <InstanceArea />
        </Route>
      )}
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}

/** Where one starts: the tenant of last time, the instance for those who run it, one's own account. */
function Home() {
  const { access, tenants } = useMe()
  const open = tenants.filter(({ suspended }) => suspended !== true)
  const tenant = open.find(({ slug }) => slug === lastTenant()) ?? open[0]
  if (tenant) return <Redirect to={`/t/${tenant.slug}/members`} replace />
  return <Redirect to={access.superAdmin ? '/instance' : '/account'} replace />
}
