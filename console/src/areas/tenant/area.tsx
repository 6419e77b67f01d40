import { useEffect } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { useMe } from '../../me.tsx'
import { rememberTenant } from '../../session/arrive.ts'
import { NotFound } from '../../ui/not-found.tsx'
import { LicensesArea } from '../licenses/area.tsx'
import { MembersPlace } from './members/members.tsx'
import { TenantContext } from './tenant.ts'

/** One tenant, by the name in the address. */
export function TenantArea({ slug }: { slug: string }) {
  const { tenants } = useMe()
  const tenant = tenants.find((own) => own.slug === slug)
  useEffect(() => {
    if (tenant) rememberTenant(tenant.slug)
  }, [tenant])
  if (!tenant) return <NotFound />
  return (
    <TenantContext.Provider value={{ ...tenant, runs: tenant.role !== 'member' }}>
      <Switch>
        <Route path="/">
          <Redirect to="/members" replace />
        </Route>
        <Route path="/members" component={MembersPlace} />
        <Route path="/licenses" nest>
          <LicensesArea />
        </Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </TenantContext.Provider>
  )
}
