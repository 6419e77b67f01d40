import { sql } from 'kysely'
import type { Tx } from './open.ts'

/** What the database writes down of itself until the transaction ends was done by this person. */
export async function nameActor(tx: Tx, userId: string): Promise<void> {
  await sql`select set_config('latchkey.actor', ${`user:${userId}`}, true)`.execute(tx)
}
