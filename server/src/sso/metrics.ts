import { defineCounter } from '../lib/metrics/metrics.ts'

export const PROVIDER_REQUESTS = defineCounter({
  name: 'latchkey_sso_requests_total',
  help: 'Requests to identity providers; failed: no response, or a 5xx status',
  labels: { provider: 'named', outcome: ['ok', 'failed'] },
})
