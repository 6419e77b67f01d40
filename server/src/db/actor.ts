import { sql } from 'kysely'
import type { Tx } from './open.ts'

/** What the database writes down of itself until the transaction ends was done by this person, or by this client. */
export async function nameActor(tx: Tx, id: string, kind: 'user' | 'client' = 'user'): Promise<void> {
  await sql`select set_config('latchkey.actor', ${`${kind}:${id}`}, true)`.execute(tx)
}
