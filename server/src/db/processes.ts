import { type RawBuilder, sql } from 'kysely'
import type { Db } from './open.ts'

/**
 * The registry of service processes. Each has a row and, while connected, the advisory lock of its number. A graceful
 * shutdown deletes the row, so a row without a lock belongs to a process that was killed or is disconnected.
 */

/** The first key of the advisory locks; the second is the number of the process. */
export const PROCESS_LOCK = 1_870_402

/** True if a session holds the lock of this process number. */
export const isConnected = (number: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`exists (
  select from pg_locks
  where locktype = 'advisory' and classid = ${sql.lit(PROCESS_LOCK)} and objid = (${number})::oid
    and database = (select oid from pg_database where datname = current_database()))`

/** Records the job worker id of a process. */
export async function recordWorkerId(
  db: Db,
  { number, worker }: { number: number | undefined; worker: string },
): Promise<void> {
  if (number === undefined) return
  await db.updateTable('processes').set({ worker }).where('number', '=', number).execute()
}

const RETENTION = '1 hour'

/** Sets `gone_at` of disconnected processes, and deletes those that have been gone for long. */
export async function markGoneProcesses(db: Db): Promise<void> {
  const isDisconnected = sql<boolean>`not ${isConnected(sql.ref('processes.number'))}`
  await db
    .updateTable('processes')
    .set({ gone_at: sql<Date>`now()` })
    .where('gone_at', 'is', null)
    .where(isDisconnected)
    .execute()
  await db
    .deleteFrom('processes')
    .where('gone_at', '<', sql<Date>`now() - ${RETENTION}::interval`)
    .where(isDisconnected)
    .execute()
}
