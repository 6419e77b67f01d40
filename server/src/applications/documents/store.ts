import { sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'

export async function countDocumentClients(db: Db): Promise<number> {
  const count = sql<number>`count(*)::int`.as('total')
  const query = db.selectFrom('clients').select(count).where('origin', '=', 'DOCUMENT')
  return (await query.executeTakeFirstOrThrow()).total
}

const selectUnused = (db: Db, before: Date) =>
  db
    .selectFrom('clients')
    .select(['clients.id', 'clients.application_id'])
    .where('clients.origin', '=', 'DOCUMENT')
    .where('clients.created_at', '<', before)
    // A disabled client stays, because it is what keeps the client out.
    .where('clients.disabled', '=', false)
    .where(sql<boolean>`not exists (select from grants where grants.client_id = clients.id)`)
    .where(
      sql<boolean>`not exists (
        select from consents where consents.application_id = clients.application_id and consents.granted_at >= ${before}
      )`,
    )

/** Clients without a grant whose last consent is older. */
export const listUnusedClients = (db: Db, { before, limit }: { before: Date; limit: number }) =>
  selectUnused(db, before).orderBy('clients.created_at').limit(limit).execute()

/** Locks the client against new grants. False if it is used again. */
export async function lockIfUnused(tx: Tx, { id, before }: { id: string; before: Date }): Promise<boolean> {
  await tx.selectFrom('clients').select('id').where('id', '=', id).forUpdate().execute()
  return (await selectUnused(tx, before).where('clients.id', '=', id).executeTakeFirst()) !== undefined
}
