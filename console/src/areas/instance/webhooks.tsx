import { WebhooksArea } from '../../parts/webhooks/webhooks-area.tsx'

/** The webhooks of the instance. Needs a nested route for the deliveries page. */
export const InstanceWebhooksPage = () => <WebhooksArea />
