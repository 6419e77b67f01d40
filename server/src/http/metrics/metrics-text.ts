import type { Registry } from 'prom-client'
import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { cacheFor } from '../../lib/concurrency/cache-for.ts'

/** IPC messages: the primary requests a worker's metrics as JSON; a worker requests the metrics of all as text. */
export const WORKER_METRICS = 'metrics'
export const ALL_METRICS = 'metrics of all'

const TIMEOUT_MS = 5_000
const CACHE_MS = 1_000

/**
 * The text of /metrics. When several workers share a port, a client cannot choose the worker, so each worker returns the
 * metrics of all, which the primary aggregates.
 */
export function createMetricsText({ primary }: Ctx, refresh: () => Promise<Registry>): () => Promise<string> {
  if (!primary) return cacheFor(CACHE_MS, async () => (await refresh()).metrics())
  primary.onRequest(WORKER_METRICS, async () => JSON.stringify(await (await refresh()).getMetricsAsJSON()))
  return cacheFor(CACHE_MS, async () => {
    try {
      return await primary.request(ALL_METRICS, TIMEOUT_MS)
    } catch (cause) {
      // The metrics of one worker alone would look like a counter reset.
      throw new AppError('UNAVAILABLE', { cause })
    }
  })
}
