import type { AccessMode, Kysely, TransactionBuilder } from 'kysely'
import { noteShed, timed } from '../lib/overload.ts'
import { createQueue } from '../lib/queue.ts'
import { observationOf } from './observation.ts'
import { againIfOutdated } from './prepared.ts'
import type { Tables } from './tables.ts'

/**
 * Transactions that write may have to wait for each other, as long as one of them holds what the others need. They get
 * a part of the connections only: what is answered by a single statement, or only reads, does not wait for them.
 */
const SHARE = 0.6
const PATIENCE_MS = 5_000

/** PostgreSQL's own code for having no connection left. */
const TOO_MANY_CONNECTIONS = '53300'

export interface TransactionLimit {
  /** Transactions that wait for one of the others to end. */
  waiting(): number
  /** Does work as one of them. */
  run<T>(work: () => Promise<T>): Promise<T>
}

type Db = Kysely<Tables>
type Builder = TransactionBuilder<Tables>

export function limitTransactions(db: Db, connections: number): TransactionLimit {
  const most = Math.max(1, Math.floor(connections * SHARE))
  const queue = createQueue({ atOnce: most, waiting: Number.POSITIVE_INFINITY, patienceMs: PATIENCE_MS })
  const inQueue = async <T>(work: () => Promise<T>): Promise<T> => {
    const figures = observationOf(db)?.figures
    const done = await queue.run(timed(figures, 'writes', work))
    if ('result' in done) return done.result
    noteShed(figures, 'writes', done.refused)
    const message = 'too many transactions were waiting for others to end'
    throw Object.assign(new Error(message), { code: TOO_MANY_CONNECTIONS })
  }
  const limited = (builder: Builder, mode?: AccessMode): Builder =>
    Object.assign(Object.create(builder) as Builder, {
      setAccessMode: (wanted: AccessMode) => limited(builder.setAccessMode(wanted), wanted),
      setIsolationLevel: (level: Parameters<Builder['setIsolationLevel']>[0]) =>
        limited(builder.setIsolationLevel(level), mode),
      execute: <T>(work: Parameters<typeof builder.execute<T>>[0]) => {
        const run = () => againIfOutdated(() => builder.execute(work))
        return mode === 'read only' ? run() : inQueue(run)
      },
    })
  const begin = db.transaction.bind(db)
  db.transaction = () => limited(begin())
  return { waiting: queue.waiting, run: inQueue }
}
