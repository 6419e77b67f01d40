import type { AuditStream } from '../../config/audit-streams.ts'
import { defineCollector } from '../../http/metrics/collectors.ts'
import { defineCounter, defineGauge } from '../../lib/metrics/metrics.ts'
import { streamLagQuery } from './store.ts'

export const ATTEMPTS = defineCounter({
  name: 'latchkey_audit_stream_attempts_total',
  help: 'Attempts to send a batch of audit events to a target; rejected: the target dropped some of the events',
  labels: { target: 'named', outcome: ['delivered', 'rejected', 'failed'] },
})

const LAG_EVENTS = defineGauge({
  name: 'latchkey_audit_stream_lag_events',
  help: 'Audit events that the target has not confirmed yet',
  labels: { target: 'named' },
})
const LAG_SECONDS = defineGauge({
  name: 'latchkey_audit_stream_lag_seconds',
  help: 'Age of the oldest audit event that the target has not confirmed yet',
  labels: { target: 'named' },
})

export const auditStreamsCollector = (streams: readonly AuditStream[]) =>
  defineCollector({
    gauges: [LAG_EVENTS, LAG_SECONDS],
    query: streamLagQuery(streams.map(({ name }) => name)),
    collect({ metrics }, rows) {
      const toSamples = (field: 'events' | 'seconds') =>
        rows.map((row) => ({ labels: { target: row.name }, value: Math.max(0, row[field]) }))
      metrics.set(LAG_EVENTS, toSamples('events'))
      metrics.set(LAG_SECONDS, toSamples('seconds'))
    },
  })
