import { sql } from 'kysely'
import type { Tx } from '../db/open.ts'

/**
 * Remembers that somebody else changed clients that registered themselves, or their application: from then on they may
 * not replace their settings. What a client changes itself does not count.
 */
export async function markOperatorChange(
  tx: Tx,
  { column, id, actorId }: { column: 'id' | 'application_id'; id: string; actorId: string | undefined },
): Promise<void> {
  await sql`
    update client_registrations set changed_by_operator = true from clients
    where clients.id = client_registrations.client_id and ${sql.ref(`clients.${column}`)} = ${id}
      and clients.client_id is distinct from ${actorId ?? null}::text and not changed_by_operator
  `.execute(tx)
}
