import { defineCounter } from '../lib/figures.ts'

export const PROVIDER_REQUESTS = defineCounter({
  name: 'latchkey_sso_requests_total',
  help: 'Requests to outside providers; failed: no answer, or one that says it is their fault',
  labels: { provider: 'named', outcome: ['ok', 'failed'] },
})
