import { WebhooksArea } from '../../../parts/webhooks/webhooks-area.tsx'

/** What is sent of the whole instance. It stands in a nested route, for the deliveries of each. */
export const WebhooksPlace = () => <WebhooksArea />
