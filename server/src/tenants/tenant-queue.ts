import type { Ctx } from '../context.ts'
import { isLastingConnectionError } from '../db/connection-errors.ts'
import { AppError } from '../errors.ts'
import { countShed, observeWait, watchQueue } from '../lib/metrics/queue-metrics.ts'
import { createKeyedQueue } from './keyed-queue.ts'

const QUEUE_NAME = 'tenant_writes'

/**
 * Writes to the same tenant are queued before they take a database connection, so that one busy tenant cannot use up the
 * pool. Queued writes fail together when the database is unreachable, and after the usual timeout of clients and proxies.
 */
const queue = watchQueue(
  QUEUE_NAME,
  createKeyedQueue({ maxQueueLength: 10_000, maxWaitMs: 30_000, failsForAll: isLastingConnectionError }),
)

export async function queueForTenant<T>({ metrics }: Ctx, tenantId: string, work: () => Promise<T>): Promise<T> {
  const outcome = await queue.run(tenantId.toLowerCase(), observeWait(metrics, QUEUE_NAME, work))
  if ('result' in outcome) return outcome.result
  countShed(metrics, QUEUE_NAME, outcome.refused)
  throw new AppError('UNAVAILABLE', { headers: { 'Retry-After': '1' } })
}
