import { sql } from 'kysely'
import type { Tx } from './open.ts'
import type { ActorKind } from './tables.ts'

/** What the database writes down of itself until the transaction ends was done by them. */
export async function nameActor(
  tx: Tx,
  { kind, id }: { kind: ActorKind; id: string | undefined },
): Promise<void> {
  const name = id === undefined ? '' : `${kind}:${id}`
  await sql`select set_config('latchkey.actor', ${name}, true)`.execute(tx)
}
