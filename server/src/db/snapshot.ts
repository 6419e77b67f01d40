import type { Db, Tx } from './open.ts'

/** A read-only transaction in which all statements see the same snapshot. */
export const inSnapshot = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work)

/** A snapshot for work that only reads, and a plain transaction for other work. */
export const inTransaction = <T>(db: Db, readOnly: boolean, work: (tx: Tx) => Promise<T>): Promise<T> =>
  readOnly ? inSnapshot(db, work) : db.transaction().execute(work)
