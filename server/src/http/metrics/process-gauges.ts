import type { Ctx } from '../../context.ts'
import { describePool } from '../../db/open.ts'
import { defineGauge } from '../../lib/metrics/metrics.ts'
import { countWaiting, QUEUES } from '../../lib/metrics/queue-metrics.ts'
import { VERSION } from '../../lib/version.ts'

const BUILD = defineGauge({
  name: 'latchkey_build_info',
  help: 'The running version; always 1',
  labels: { version: 'named', node: 'named' },
})

const CONNECTIONS = defineGauge({
  name: 'latchkey_database_connections',
  help: 'Pool connections for requests by state',
  labels: { state: ['in_use', 'idle'] },
  aggregate: 'sum',
})
const MAX_CONNECTIONS = defineGauge({
  name: 'latchkey_database_connections_max',
  help: 'Maximum number of pool connections for requests',
  labels: {},
  aggregate: 'sum',
})
const WAITERS = defineGauge({
  name: 'latchkey_database_connection_waiters',
  help: 'Requests that wait for a connection because all are in use',
  labels: {},
  aggregate: 'sum',
})

const QUEUED = defineGauge({
  name: 'latchkey_queue_waiting',
  help: 'Requests that wait in a queue, by queue',
  labels: { queue: QUEUES },
  aggregate: 'sum',
})

const FEED_CONNECTED = defineGauge({
  name: 'latchkey_change_feed_connected',
  help: 'Whether this process receives changes of other nodes; otherwise it does not use its cache',
  labels: {},
  aggregate: 'min',
})
const FEED_SILENT = defineGauge({
  name: 'latchkey_change_feed_silent_seconds',
  help: 'Time since the change feed last answered',
  labels: {},
})

const CACHE_ENTRIES = defineGauge({
  name: 'latchkey_memory_entries',
  help: 'Entries of the in-memory cache',
  labels: { memory: ['facts', 'licenses'] },
  aggregate: 'sum',
})
const CACHE_LOOKUPS = defineGauge({
  name: 'latchkey_memory_lookups_total',
  help: 'Lookups in the in-memory cache by outcome',
  labels: { memory: ['facts', 'licenses'], outcome: ['hit', 'miss'] },
  isCounter: true,
})

/** Updates the gauges whose values are in memory. */
export function updateProcessGauges(ctx: Ctx): void {
  const { metrics, changes } = ctx
  metrics.set(BUILD, [{ labels: { version: VERSION, node: process.version }, value: 1 }])
  const { inUse, idle, max, waiting, waitingWrites } = describePool(ctx.db)
  metrics.set(CONNECTIONS, [
    { labels: { state: 'in_use' }, value: inUse },
    { labels: { state: 'idle' }, value: idle },
  ])
  metrics.set(MAX_CONNECTIONS, [{ labels: {}, value: max }])
  metrics.set(WAITERS, [{ labels: {}, value: waiting }])
  metrics.set(
    QUEUED,
    QUEUES.map((queue) => ({
      labels: { queue },
      // The queue of write transactions belongs to the database, not to the process.
      value: queue === 'writes' ? waitingWrites : countWaiting(queue),
    })),
  )
  metrics.set(FEED_CONNECTED, [{ labels: {}, value: changes.isCurrent() ? 1 : 0 }])
  metrics.set(FEED_SILENT, [{ labels: {}, value: changes.secondsSinceAnswer() }])
  updateCacheGauges(ctx)
}

function updateCacheGauges({ metrics, cache, licenseCache }: Ctx): void {
  const caches = [
    { memory: 'facts' as const, ...cache.describe() },
    { memory: 'licenses' as const, ...licenseCache.describe() },
  ]
  metrics.set(
    CACHE_ENTRIES,
    caches.map(({ memory: name, entries }) => ({ labels: { memory: name }, value: entries })),
  )
  metrics.set(
    CACHE_LOOKUPS,
    caches.flatMap(({ memory: name, hits, misses }) => [
      { labels: { memory: name, outcome: 'hit' as const }, value: hits },
      { labels: { memory: name, outcome: 'miss' as const }, value: misses },
    ]),
  )
}
