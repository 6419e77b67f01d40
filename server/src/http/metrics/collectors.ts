import { setTimeout as sleep } from 'node:timers/promises'
import type { RawBuilder } from 'kysely'
import type { Ctx } from '../../context.ts'
import { isConnectionError } from '../../db/connection-errors.ts'
import { queryAll } from '../../db/query-all.ts'
import { defineGauge, type GaugeDefinition } from '../../lib/metrics/metrics.ts'

/**
 * Reads gauges from the database. The queries of all collectors run as one statement at each scrape, so each query must
 * use an index.
 */
export interface Collector {
  /** The gauges that it sets. They are removed while the database is unreachable. */
  gauges: GaugeDefinition[]
  query: RawBuilder<unknown>
  collect(ctx: Ctx, rows: never[]): void
}

export interface TypedCollector<Row> extends Collector {
  query: RawBuilder<Row>
  collect(ctx: Ctx, rows: Row[]): void
}

export const defineCollector = <Row>(collector: TypedCollector<Row>): TypedCollector<Row> => collector

const DATABASE_UP = defineGauge({
  name: 'latchkey_database_up',
  help: 'Whether the database answered within two seconds',
  labels: {},
  aggregate: 'min',
})

const TIMEOUT_MS = 2_000
const CACHE_MS = 3_000

/** Returns a function that reads all collectors: at most once per `CACHE_MS`, never concurrently. It never throws. */
export function createCollectors(ctx: Ctx, collectors: Collector[]): () => Promise<void> {
  let pendingRead: Promise<void> | undefined
  let cachedUntil = 0
  let hasFailed = false
  const read = async () => {
    try {
      const all = await queryAll(
        ctx.db,
        collectors.map(({ query }) => query),
      )
      for (const [index, { collect }] of collectors.entries()) collect(ctx, all[index] as never[])
      ctx.metrics.set(DATABASE_UP, [{ labels: {}, value: 1 }])
      hasFailed = false
    } catch (err) {
      // One log line per outage.
      if (!hasFailed) ctx.log.warn({ err }, 'the metrics of the database cannot be read')
      hasFailed = true
      clearGauges(ctx, collectors, { up: !isConnectionError(err) })
    }
    cachedUntil = performance.now() + CACHE_MS
    pendingRead = undefined
  }
  return async () => {
    if (!pendingRead && performance.now() < cachedUntil) return
    pendingRead ??= read()
    const isDone = await Promise.race([pendingRead.then(() => true), sleep(TIMEOUT_MS, false, { ref: false })])
    if (!isDone) clearGauges(ctx, collectors, { up: false })
  }
}

function clearGauges({ metrics }: Ctx, collectors: Collector[], { up }: { up: boolean }): void {
  for (const gauge of collectors.flatMap(({ gauges }) => gauges)) metrics.set(gauge, [])
  metrics.set(DATABASE_UP, [{ labels: {}, value: up ? 1 : 0 }])
}
