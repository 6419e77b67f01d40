import { lazy, Suspense } from 'react'
import { Redirect, Route, Router, Switch, useLocation } from 'wouter'
import { ErrorBoundary } from './error-boundary.tsx'
import { Frame } from './frame/frame.tsx'
import { MeProvider, useMe } from './me.tsx'
import { findLastTenant } from './session/last-tenant.ts'
import { NotFound } from './ui/not-found.tsx'
import { LoadingSkeleton } from './ui/states.tsx'

// Each area is a chunk of its own, loaded on demand.
const AccountArea = lazy(() => import('./areas/account/area.tsx').then(({ AccountArea }) => ({ default: AccountArea })))
const TenantArea = lazy(() => import('./areas/tenant/area.tsx').then(({ TenantArea }) => ({ default: TenantArea })))
const InstanceArea = lazy(() =>
  import('./areas/instance/area.tsx').then(({ InstanceArea }) => ({ default: InstanceArea })),
)
const NewTenant = lazy(() => import('./areas/tenant/new-tenant.tsx').then(({ NewTenant }) => ({ default: NewTenant })))

export const App = () => (
  <ErrorBoundary>
    <Router base="/console">
      <MeProvider>
        <Frame>
          <Page />
        </Frame>
      </MeProvider>
    </Router>
  </ErrorBoundary>
)

/** An error of one page does not keep the user from going to another. */
function Page() {
  const [location] = useLocation()
  return (
    <ErrorBoundary resetKey={location}>
      <Suspense fallback={<LoadingSkeleton rows={6} />}>
        <AppRoutes />
      </Suspense>
    </ErrorBoundary>
  )
}

function AppRoutes() {
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

/** Operators start at the instance, others at the last used tenant, or at their account. */
function Home() {
  const { access, tenants } = useMe()
  if (access.superAdmin) return <Redirect to="/instance" replace />
  const active = tenants.filter(({ suspended }) => suspended !== true)
  const tenant = active.find(({ slug }) => slug === findLastTenant()) ?? active[0]
  if (tenant) return <Redirect to={`/t/${tenant.slug}/members`} replace />
  return <Redirect to="/account" replace />
}
