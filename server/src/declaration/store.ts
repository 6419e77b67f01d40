import { sql } from 'kysely'
import type { Tx } from '../db/open.ts'

/** The key of an advisory lock that nothing else uses. */
const LOCK_KEY = 7_025_113_402

/** Only one declaration is applied at a time. The lock is held until the transaction ends. */
export async function lockDeclarations(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK_KEY})`.execute(tx)
}

/** All later statements of the transaction read the same snapshot and cannot write. */
export async function useReadOnlySnapshot(tx: Tx): Promise<void> {
  await sql`set transaction isolation level repeatable read, read only`.execute(tx)
}
