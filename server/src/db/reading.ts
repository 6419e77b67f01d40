import type { Db, Tx } from './open.ts'

/** A transaction that sees one moment, whatever happens meanwhile. */
export const startReading = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work)
