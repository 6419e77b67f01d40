import { type Kysely, type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import { openClient } from './connections.ts'
import type { Tables } from './tables.ts'

type Db = Kysely<Tables>

/**
 * Transactions with NOTIFY commit one after the other, because they hold a global lock until the commit is flushed to
 * disk. To avoid that, some transactions commit asynchronously and wait for the flush afterwards, together: once a later
 * WAL record is flushed, all earlier ones are. No response may be sent before.
 *
 * A crash or failover may lose an asynchronous commit. A connection that was opened after it would flush the WAL of a
 * server without that commit. So the check uses a connection that was opened before the transaction: it breaks in a
 * crash or failover, and the check fails.
 */

/** A column that makes the transaction commit asynchronously. Call `openDurabilityCheck` before the transaction. */
export const ASYNC_COMMIT: RawBuilder<unknown> = sql`set_config('synchronous_commit', 'off', true)`

export interface DurabilityCheck {
  /** Waits until everything committed since the check was opened is on disk. Throws if that is unknown. */
  waitUntilDurable(): Promise<void>
}

/** Longer than any flush takes. A disconnected server would not answer at all. */
const FLUSH_TIMEOUT_MS = 10_000

interface CheckProvider {
  open(): Promise<DurabilityCheck>
  close(): Promise<void>
}

const providers = new WeakMap<Db, CheckProvider>()

/** Registers a provider for the database. Its connection is opened at the first check. */
export function provideDurabilityCheck(db: Db, direct: pg.ClientConfig): void {
  const provider = createProvider(direct)
  providers.set(db, provider)
  const destroy = db.destroy.bind(db)
  db.destroy = async () => {
    await provider.close()
    await destroy()
  }
}

/** Must be called before the transaction begins. */
export function openDurabilityCheck(db: Db): Promise<DurabilityCheck> {
  const provider = providers.get(db)
  if (!provider) throw new Error('this database has no durability check')
  return provider.open()
}

function createProvider(direct: pg.ClientConfig): CheckProvider {
  let current: Promise<FlushConnection> | undefined
  const connect = async () => {
    const opening = openFlushConnection(direct)
    current = opening
    const clear = () => {
      if (current === opening) current = undefined
    }
    // After a loss, the next check opens a new connection.
    opening.then(({ lost }) => lost.then(clear), clear)
    return opening
  }
  return {
    open: () => current ?? connect(),
    async close() {
      const connection = await current?.catch(() => undefined)
      await connection?.close()
    },
  }
}

interface FlushConnection extends DurabilityCheck {
  /** Resolves when the connection is closed. */
  lost: Promise<void>
  close(): Promise<void>
}

async function openFlushConnection(direct: pg.ClientConfig): Promise<FlushConnection> {
  // The timeout detects a connection that was cut off.
  const client = openClient({ ...direct, query_timeout: FLUSH_TIMEOUT_MS })
  const lost = new Promise<void>((resolve) => client.once('end', resolve))
  await client.connect()
  // Commits synchronously an empty WAL message, which flushes all earlier WAL records.
  const flush = () => client.query(`select from pg_logical_emit_message(true, 'latchkey', '')`)
  const disconnect = (cause: unknown) => {
    void client.end().catch(() => {})
    throw new Error('Connection terminated before the disk had everything', { cause })
  }
  return {
    waitUntilDurable: createSharedRun(async () => void (await flush().catch(disconnect))),
    lost,
    close: () => client.end().catch(() => {}),
  }
}

/** Runs the work one at a time. Callers share a run that has not started yet. */
function createSharedRun(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined
  const begin = () => {
    next = undefined
    return work()
  }
  return () => {
    if (!next) {
      next = running.then(begin)
      running = next.catch(() => {})
    }
    return next
  }
}
