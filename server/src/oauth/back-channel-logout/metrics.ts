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

const OLDEST = defineGauge({
  name: 'latchkey_logout_oldest_seconds',
  help: 'Seconds since the first attempt to deliver the oldest logout token that is not delivered yet',
  labels: {},
})

export const logoutsCollector = defineCollector({
  gauges: [WAITING, OLDEST],
  query: pendingLogoutsQuery,
  collect({ metrics }, [row]) {
    metrics.set(WAITING, [{ labels: {}, value: row?.waiting ?? 0 }])
    metrics.set(OLDEST, [{ labels: {}, value: Math.max(0, row?.oldest ?? 0) }])
  },
})
