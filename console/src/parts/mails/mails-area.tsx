import { Route, Switch } from 'wouter'
import { NotFound } from '../../ui/not-found.tsx'
import { MailPage } from './mail-page.tsx'
import { MailsPage } from './mails-page.tsx'

/** The texts of the mails of a tenant, or of the instance without `tenantId`. Needs a nested route. */
export const MailsArea = ({ tenantId }: { tenantId?: string }) => (
  <Switch>
    <Route path="/">
      <MailsPage owner={tenantId} />
    </Route>
    <Route path="/:kind">{({ kind }) => <MailPage key={kind} owner={tenantId} kind={kind} />}</Route>
    <Route>
      <NotFound />
    </Route>
  </Switch>
)
