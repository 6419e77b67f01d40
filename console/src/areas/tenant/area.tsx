import { lazy, Suspense, useEffect } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { useMe } from '../../me.tsx'
import { saveLastTenant } from '../../session/last-tenant.ts'
import { NotFound } from '../../ui/not-found.tsx'
import { LoadingSkeleton } from '../../ui/states.tsx'
import { SuspendedTenant } from './suspended.tsx'
import { type CurrentTenant, TenantContext } from './tenant.ts'

// Each page is a chunk of its own, loaded on demand.
const MembersPage = lazy(() => import('./members/members.tsx').then(({ MembersPage }) => ({ default: MembersPage })))
const InvitationsPage = lazy(() =>
  import('./invitations/invitations.tsx').then(({ InvitationsPage }) => ({ default: InvitationsPage })),
)
const LicensesArea = lazy(() => import('../licenses/area.tsx').then(({ LicensesArea }) => ({ default: LicensesArea })))
const WebhooksArea = lazy(() =>
  import('../../parts/webhooks/webhooks-area.tsx').then(({ WebhooksArea }) => ({ default: WebhooksArea })),
)
const MailsArea = lazy(() =>
  import('../../parts/mails/mails-area.tsx').then(({ MailsArea }) => ({ default: MailsArea })),
)
const AuditPage = lazy(() =>
  import('../../parts/audit/audit-page.tsx').then(({ AuditPage }) => ({ default: AuditPage })),
)
const SettingsPage = lazy(() =>
  import('./settings/settings.tsx').then(({ SettingsPage }) => ({ default: SettingsPage })),
)

/** The pages of the tenant in the URL. */
export function TenantArea({ slug }: { slug: string }) {
  const { tenants } = useMe()
  const own = tenants.find((tenant) => tenant.slug === slug)
  useEffect(() => {
    if (own) saveLastTenant(own.slug)
  }, [own])
  if (!own) return <NotFound />
  if (own.suspended === true) return <SuspendedTenant name={own.name} />
  const tenant = { ...own, canManage: own.role !== 'member' }
  return (
    <TenantContext.Provider value={tenant}>
      <Suspense fallback={<LoadingSkeleton rows={6} />}>
        <TenantRoutes tenant={tenant} />
      </Suspense>
    </TenantContext.Provider>
  )
}

/** Pages for owners and admins are not found for members. */
const TenantRoutes = ({ tenant: { id, canManage } }: { tenant: CurrentTenant }) => (
  <Switch>
    <Route path="/">
      <Redirect to="/members" replace />
    </Route>
    <Route path="/members" component={MembersPage} />
    {canManage && <Route path="/invitations" component={InvitationsPage} />}
    <Route path="/licenses" nest>
      <LicensesArea />
    </Route>
    {canManage && (
      <Route path="/webhooks" nest>
        <WebhooksArea tenantId={id} />
      </Route>
    )}
    {canManage && (
      <Route path="/mails" nest>
        <MailsArea tenantId={id} />
      </Route>
    )}
    {canManage && (
      <Route path="/audit">
        <AuditPage tenantId={id} />
      </Route>
    )}
    <Route path="/settings" component={SettingsPage} />
    <Route>
      <NotFound />
    </Route>
  </Switch>
)
