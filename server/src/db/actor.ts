import { sql } from 'kysely'
import type { Tx } from './open.ts'

/** Sets the actor that triggers write to the license ledger, until the end of the transaction. */
export async function setActor(tx: Tx, id: string, kind: 'user' | 'client' = 'user'): Promise<void> {
  await sql`select set_config('latchkey.actor', ${`${kind}:${id}`}, true)`.execute(tx)
}
