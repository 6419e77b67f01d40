import { sql } from 'kysely'
import type { Tx } from '../db/open.ts'

/** Any number that nobody else locks. */
const LOCK = 7_025_113_402

/** Whoever else would apply a declaration waits until the transaction ends. */
export async function lockDeclarations(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
}

/** From here on the transaction reads what was there at one moment, and changes nothing. */
export async function readOneMoment(tx: Tx): Promise<void> {
  await sql`set transaction isolation level repeatable read, read only`.execute(tx)
}
