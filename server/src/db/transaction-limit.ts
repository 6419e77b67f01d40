import type { AccessMode, Kysely, TransactionBuilder } from 'kysely'
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
  const slots = createSlots(Math.max(1, Math.floor(connections * SHARE)))
  const limited = (builder: Builder, mode?: AccessMode): Builder =>
    Object.assign(Object.create(builder) as Builder, {
      setAccessMode: (wanted: AccessMode) => limited(builder.setAccessMode(wanted), wanted),
      setIsolationLevel: (level: Parameters<Builder['setIsolationLevel']>[0]) =>
        limited(builder.setIsolationLevel(level), mode),
      execute: <T>(work: Parameters<typeof builder.execute<T>>[0]) =>
        mode === 'read only' ? builder.execute(work) : slots.run(() => builder.execute(work)),
    })
  const begin = db.transaction.bind(db)
  db.transaction = () => limited(begin())
  return slots
}

function createSlots(most: number): TransactionLimit {
  const waiting = new Set<() => void>()
  let used = 0
  const enter = () =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(proceed)
        const message = 'too many transactions were waiting for others to end'
        reject(Object.assign(new Error(message), { code: TOO_MANY_CONNECTIONS }))
      }, PATIENCE_MS)
      const proceed = () => {
        clearTimeout(timer)
        resolve()
      }
      waiting.add(proceed)
    })
  return {
    waiting: () => waiting.size,
    async run<T>(work: () => Promise<T>): Promise<T> {
      if (used < most) used += 1
      else await enter()
      try {
        return await work()
      } finally {
        // The slot goes to the next in line, or is given up.
        const [next] = waiting
        if (next) {
          waiting.delete(next)
          next()
        } else used -= 1
      }
    },
  }
}
