import { Route, Switch } from 'wouter'
import { NotFound } from '../../ui/not-found.tsx'
import { DeliveriesPage } from './deliveries-page.tsx'
import { WebhooksPage } from './webhooks-page.tsx'

/** The webhooks of a tenant, or of the instance without `tenantId`. Needs a nested route. */
export const WebhooksArea = ({ tenantId }: { tenantId?: string }) => (
  <Switch>
    <Route path="/">
      <WebhooksPage tenantId={tenantId} />
    </Route>
    <Route path="/:webhookId">{({ webhookId }) => <DeliveriesPage tenantId={tenantId} webhookId={webhookId} />}</Route>
    <Route>
      <NotFound />
    </Route>
  </Switch>
)
