import { defineCollector } from '../../http/metrics/collectors.ts'
import { defineCounter, defineGauge } from '../../lib/metrics/metrics.ts'
import { pendingDeliveriesQuery } from './store.ts'

export const ATTEMPTS = defineCounter({
  name: 'latchkey_webhook_attempts_total',
  help: 'Attempts to deliver an event to a webhook; failed deliveries are retried for three days',
  labels: { outcome: ['delivered', 'failed'] },
})

const WAITING = defineGauge({
  name: 'latchkey_webhook_deliveries_waiting',
  help: 'Events that are not delivered to their webhook yet; counted up to ten thousand',
  labels: {},
})

export const webhooksCollector = defineCollector({
  gauges: [WAITING],
  query: pendingDeliveriesQuery,
  collect({ metrics }, [row]) {
    metrics.set(WAITING, [{ labels: {}, value: row?.waiting ?? 0 }])
  },
})
