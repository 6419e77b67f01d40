import { sql } from 'kysely'
import type { Tx } from './open.ts'

/** Runs work in a savepoint. If it throws, only its own changes are rolled back, and the error is rethrown. */
export async function inSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint part`.execute(tx)
  try {
    const result = await work()
    await sql`release savepoint part`.execute(tx)
    return result
  } catch (error) {
    await sql`rollback to savepoint part`.execute(tx)
    throw error
  }
}
