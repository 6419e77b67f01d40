import { lazy, Suspense, useEffect } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { useMe } from '../../me.tsx'
import { rememberTenant } from '../../session/arrive.ts'
import { NotFound } from '../../ui/not-found.tsx'
import { Waiting } from '../../ui/states.tsx'
import { type CurrentTenant, TenantContext } from './tenant.ts'

// Each place is loaded when somebody goes there.
const MembersPlace = lazy(() =>
  import('./members/members.tsx').then(({ MembersPlace }) => ({ default: MembersPlace })),
)
const InvitationsPlace = lazy(() =>
  import('./invitations/invitations.tsx').then(({ InvitationsPlace }) => ({ default: InvitationsPlace })),
)
const LicensesArea = lazy(() =>
  import('../licenses/area.tsx').then(({ LicensesArea }) => ({ default: LicensesArea })),
)
const WebhooksArea = lazy(() =>
  import('../../parts/webhooks/webhooks-area.tsx').then(({ WebhooksArea }) => ({ default: WebhooksArea })),
)
const AuditPage = lazy(() =>
  import('../../parts/audit/audit-page.tsx').then(({ AuditPage }) => ({ default: AuditPage })),
)
const SettingsPlace = lazy(() =>
  import('./settings/settings.tsx').then(({ SettingsPlace }) => ({ default: SettingsPlace })),
)

/** One tenant, by the name in the address. */
export function TenantArea({ slug }: { slug: string }) {
  const { tenants } = useMe()
  const own = tenants.find((tenant) => tenant.slug === slug)
  useEffect(() => {
    if (own) rememberTenant(own.slug)
  }, [own])
  if (!own) return <NotFound />
  const tenant = { ...own, runs: own.role !== 'member' }
  return (
    <TenantContext.Provider value={tenant}>
      <Suspense fallback={<Waiting rows={6} />}>
        <Places tenant={tenant} />
      </Suspense>
    </TenantContext.Provider>
  )
}

/** What only those who run the tenant may see is, for others, not there. */
const Places = ({ tenant: { id, runs } }: { tenant: CurrentTenant }) => (
  <Switch>
    <Route path="/">
      <Redirect to="/members" replace />
    </Route>
    <Route path="/members" component={MembersPlace} />
    {runs && <Route path="/invitations" component={InvitationsPlace} />}
    <Route path="/licenses" nest>
      <LicensesArea />
    </Route>
    {runs && (
      <Route path="/webhooks" nest>
        <WebhooksArea tenantId={id} />
      </Route>
    )}
    {runs && (
      <Route path="/audit">
        <AuditPage tenantId={id} />
      </Route>
    )}
    <Route path="/settings" component={SettingsPlace} />
    <Route>
      <NotFound />
    </Route>
  </Switch>
)
