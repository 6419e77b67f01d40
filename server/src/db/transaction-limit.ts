import type { AccessMode, Kysely, TransactionBuilder } from 'kysely'
import { createQueue } from '../lib/concurrency/queue.ts'
import { countShed, observeWait } from '../lib/metrics/queue-metrics.ts'
import { instrumentationOf } from './instrumentation.ts'
import { retryIfSchemaChanged } from './prepared.ts'
import type { Tables } from './tables.ts'

/**
 * Write transactions may wait for each other's locks and hold their connections meanwhile. They get only this share of the
 * pool, so that single statements and read-only transactions still find a connection.
 */
const WRITE_SHARE = 0.6
const MAX_WAIT_MS = 5_000

/** SQLSTATE too_many_connections. */
const TOO_MANY_CONNECTIONS = '53300'

export interface TransactionLimit {
  /** The number of write transactions in the queue. */
  waiting(): number
  /** Runs work under the limit. */
  run<T>(work: () => Promise<T>): Promise<T>
}

type Db = Kysely<Tables>
type Builder = TransactionBuilder<Tables>

export function limitTransactions(db: Db, connections: number): TransactionLimit {
  const queue = createQueue({
    maxConcurrent: Math.max(1, Math.floor(connections * WRITE_SHARE)),
    maxQueueLength: Number.POSITIVE_INFINITY,
    maxWaitMs: MAX_WAIT_MS,
  })
  const runInQueue = async <T>(work: () => Promise<T>): Promise<T> => {
    const metrics = instrumentationOf(db)?.metrics
    const outcome = await queue.run(observeWait(metrics, 'writes', work))
    if ('result' in outcome) return outcome.result
    countShed(metrics, 'writes', outcome.refused)
    const message = 'too many transactions were waiting for others to end'
    throw Object.assign(new Error(message), { code: TOO_MANY_CONNECTIONS })
  }
  const withLimit = (builder: Builder, mode?: AccessMode): Builder =>
    Object.assign(Object.create(builder) as Builder, {
      setAccessMode: (newMode: AccessMode) => withLimit(builder.setAccessMode(newMode), newMode),
      setIsolationLevel: (level: Parameters<Builder['setIsolationLevel']>[0]) =>
        withLimit(builder.setIsolationLevel(level), mode),
      execute: <T>(work: Parameters<typeof builder.execute<T>>[0]) => {
        const run = () => retryIfSchemaChanged(() => builder.execute(work))
        return mode === 'read only' ? run() : runInQueue(run)
      },
    })
  const begin = db.transaction.bind(db)
  db.transaction = () => withLimit(begin())
  return { waiting: queue.waiting, run: runInQueue }
}
