import { sql } from 'kysely'
import type { Tx } from './open.ts'

/** Does work that may fail without taking the rest of the transaction along: what it wrote is undone, and it throws on. */
export async function inSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint part`.execute(tx)
  try {
    const done = await work()
    await sql`release savepoint part`.execute(tx)
    return done
  } catch (error) {
    await sql`rollback to savepoint part`.execute(tx)
    throw error
  }
}
