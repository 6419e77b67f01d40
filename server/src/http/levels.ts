import type { Ctx } from '../context.ts'
import { describePool } from '../db/open.ts'
import { defineLevel } from '../lib/figures.ts'
import { countWaiting, QUEUES } from '../lib/overload.ts'
import { VERSION } from '../lib/version.ts'

const BUILD = defineLevel({
  name: 'latchkey_build_info',
  help: 'What runs here; always 1',
  labels: { version: 'named', node: 'named' },
})

const CONNECTIONS = defineLevel({
  name: 'latchkey_database_connections',
  help: 'Connections for requests by what they are doing',
  labels: { state: ['in_use', 'idle'] },
})
const MOST_CONNECTIONS = defineLevel({
  name: 'latchkey_database_connections_max',
  help: 'Connections for requests that there may be',
  labels: {},
})
const WAITERS = defineLevel({
  name: 'latchkey_database_connection_waiters',
  help: 'Those who wait for a connection because all are in use',
  labels: {},
})

const QUEUED = defineLevel({
  name: 'latchkey_queue_waiting',
  help: 'Requests that wait for their turn, by the queue',
  labels: { queue: QUEUES },
})

const FEED_CONNECTED = defineLevel({
  name: 'latchkey_change_feed_connected',
  help: 'Whether changes of other nodes are heard; without them nothing remembered is used',
  labels: {},
})
const FEED_SILENT = defineLevel({
  name: 'latchkey_change_feed_silent_seconds',
  help: 'Time since the feed of changes last answered',
  labels: {},
})

const MEMORY_ENTRIES = defineLevel({
  name: 'latchkey_memory_entries',
  help: 'Facts that are remembered',
  labels: { memory: ['facts', 'licenses'] },
})
const MEMORY_LOOKUPS = defineLevel({
  name: 'latchkey_memory_lookups_total',
  help: 'Facts that were asked for, by whether they were remembered',
  labels: { memory: ['facts', 'licenses'], outcome: ['hit', 'miss'] },
  grows: true,
})

/** What this process knows of itself. It costs nothing to look. */
export function readLevels(ctx: Ctx): void {
  const { figures, changes } = ctx
  figures.set(BUILD, [{ labels: { version: VERSION, node: process.version }, value: 1 }])
  const { inUse, idle, most, waiting, waitingWrites } = describePool(ctx.db)
  figures.set(CONNECTIONS, [
    { labels: { state: 'in_use' }, value: inUse },
    { labels: { state: 'idle' }, value: idle },
  ])
  figures.set(MOST_CONNECTIONS, [{ labels: {}, value: most }])
  figures.set(WAITERS, [{ labels: {}, value: waiting }])
  figures.set(
    QUEUED,
    QUEUES.map((queue) => ({
      labels: { queue },
      // Transactions are limited for each database by itself.
      value: queue === 'writes' ? waitingWrites : countWaiting(queue),
    })),
  )
  figures.set(FEED_CONNECTED, [{ labels: {}, value: changes.isCurrent() ? 1 : 0 }])
  figures.set(FEED_SILENT, [{ labels: {}, value: changes.silentFor() }])
  readMemories(ctx)
}

function readMemories({ figures, memory, licenses }: Ctx): void {
  const known = [
    { memory: 'facts' as const, ...memory.describe() },
    { memory: 'licenses' as const, ...licenses.describe() },
  ]
  figures.set(
    MEMORY_ENTRIES,
    known.map(({ memory: name, entries }) => ({ labels: { memory: name }, value: entries })),
  )
  figures.set(
    MEMORY_LOOKUPS,
    known.flatMap(({ memory: name, hits, misses }) => [
      { labels: { memory: name, outcome: 'hit' as const }, value: hits },
      { labels: { memory: name, outcome: 'miss' as const }, value: misses },
    ]),
  )
}
