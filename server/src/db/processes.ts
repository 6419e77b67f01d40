import { type RawBuilder, sql } from 'kysely'
import type { Db } from './open.ts'

/**
 * The processes that serve, as others see them. Each has a row and, while it is connected, a lock of its number. One that
 * stops in order takes its row along: a row without a lock is of a process that was killed, or that is cut off.
 */

/** The first half of the key of the locks that connected processes hold; the second is the number of the process. */
export const PROCESS_LOCK = 1_870_402

/** Whether the process of this number is connected: some session has the lock of its number. */
export const isConnected = (number: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`exists (
  select from pg_locks
  where locktype = 'advisory' and classid = ${sql.lit(PROCESS_LOCK)} and objid = (${number})::oid
    and database = (select oid from pg_database where datname = current_database()))`

/** Says under which name a process takes jobs. */
export async function nameWorker(
  db: Db,
  { number, worker }: { number: number | undefined; worker: string },
): Promise<void> {
  if (number === undefined) return
  await db.updateTable('processes').set({ worker }).where('number', '=', number).execute()
}

const HOUR = '1 hour'

/** Notes which processes are gone, and since when; forgets those that went long ago. */
export async function noteGoneProcesses(db: Db): Promise<void> {
  const gone = sql<boolean>`not ${isConnected(sql.ref('processes.number'))}`
  await db
    .updateTable('processes')
    .set({ gone_at: sql<Date>`now()` })
    .where('gone_at', 'is', null)
    .where(gone)
    .execute()
  await db
    .deleteFrom('processes')
    .where('gone_at', '<', sql<Date>`now() - ${HOUR}::interval`)
    .where(gone)
    .execute()
}
