import { defineCollector } from '../http/metrics/collectors.ts'
import { defineCounter, defineGauge } from '../lib/metrics/metrics.ts'
import { queuedMailQuery } from './store.ts'

export const DELIVERIES = defineCounter({
  name: 'latchkey_mail_deliveries_total',
  help: 'Attempts to hand a mail to the mail server; refused: permanently, failed: will be retried',
  labels: { outcome: ['sent', 'refused', 'failed'] },
})

const WAITING = defineGauge({
  name: 'latchkey_mail_waiting',
  help: 'Mail that is not sent yet; counted up to ten thousand',
  labels: {},
})
const OLDEST = defineGauge({
  name: 'latchkey_mail_oldest_seconds',
  help: 'Age of the oldest mail that is not sent yet',
  labels: {},
})

export const mailCollector = defineCollector({
  gauges: [WAITING, OLDEST],
  query: queuedMailQuery,
  collect({ metrics }, [row]) {
    metrics.set(WAITING, [{ labels: {}, value: row?.waiting ?? 0 }])
    metrics.set(OLDEST, [{ labels: {}, value: Math.max(0, row?.oldest ?? 0) }])
  },
})
