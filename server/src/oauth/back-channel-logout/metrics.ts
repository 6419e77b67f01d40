import { defineCollector } from '../../http/metrics/collectors.ts'
import { defineCounter, defineGauge } from '../../lib/metrics/metrics.ts'
import { pendingLogoutsQuery } from './store.ts'

export const LOGOUT_ATTEMPTS = defineCounter({
  name: 'latchkey_logout_attempts_total',
  help: 'Attempts to send a logout token to a client; failed ones are retried for three days',
  labels: { outcome: ['delivered', 'failed'] },
})

const WAITING = defineGauge({
  name: 'latchkey_logout_deliveries_waiting',
  help: 'Logout tokens that are not delivered to their client yet; counted up to ten thousand',
  labels: {},
})

export const logoutsCollector = defineCollector({
  gauges: [WAITING],
  query: pendingLogoutsQuery,
  collect({ metrics }, [row]) {
    metrics.set(WAITING, [{ labels: {}, value: row?.waiting ?? 0 }])
  },
})
