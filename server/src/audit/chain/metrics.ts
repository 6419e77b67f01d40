import { defineCollector } from '../../http/metrics/collectors.ts'
import { defineGauge } from '../../lib/metrics/metrics.ts'
import { pendingEntriesQuery } from './store.ts'

const PENDING = defineGauge({
  name: 'latchkey_audit_pending',
  help: 'Audit log entries that are not in the chain yet; counted up to ten thousand',
  labels: {},
})
const OLDEST = defineGauge({
  name: 'latchkey_audit_oldest_pending_seconds',
  help: 'Age of the oldest audit log entry that is not in the chain yet',
  labels: {},
})

export const auditCollector = defineCollector({
  gauges: [PENDING, OLDEST],
  query: pendingEntriesQuery,
  collect({ metrics }, [row]) {
    metrics.set(PENDING, [{ labels: {}, value: row?.pending ?? 0 }])
    metrics.set(OLDEST, [{ labels: {}, value: Math.max(0, row?.oldest ?? 0) }])
  },
})
