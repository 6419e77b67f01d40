import { sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'

export async function countDocumentClients(db: Db): Promise<number> {
  const count = sql<number>`count(*)::int`.as('total')
  const query = db.selectFrom('clients').select(count).where('origin', '=', 'DOCUMENT')
  return (await query.executeTakeFirstOrThrow()).total
}

/** Those that a user has allowed. */
export async function countClientsOfUser(db: Db, userId: string): Promise<number> {
  const count = sql<number>`count(distinct clients.id)::int`.as('total')
  const query = db
    .selectFrom('consents')
    .innerJoin('clients', 'clients.application_id', 'consents.application_id')
    .select(count)
    .where('consents.user_id', '=', userId)
    .where('clients.origin', '=', 'DOCUMENT')
  return (await query.executeTakeFirstOrThrow()).total
}

/** When a client that is unused was created at the latest, and last allowed. */
export interface Unused {
  createdBefore: Date
  allowedBefore: Date
}

const selectUnused = (db: Db, { createdBefore, allowedBefore }: Unused) =>
  db
    .selectFrom('clients')
    .select(['clients.id', 'clients.application_id'])
    .where('clients.origin', '=', 'DOCUMENT')
    .where('clients.created_at', '<', createdBefore)
    // A disabled client stays, because it is what keeps the client out.
    .where('clients.disabled', '=', false)
    .where(sql<boolean>`not exists (select from grants where grants.client_id = clients.id)`)
    .where(
      sql<boolean>`not exists (
        select from consents where consents.application_id = clients.application_id and consents.granted_at >= ${allowedBefore}
      )`,
    )

/** Clients without a grant whose last consent is older, the oldest first. */
export const listUnusedClients = (db: Db, unused: Unused, limit: number) =>
  selectUnused(db, unused).orderBy('clients.created_at').limit(limit).execute()

/** Locks the client against new grants. False if it is used again. */
export async function lockIfUnused(tx: Tx, id: string, unused: Unused): Promise<boolean> {
  await tx.selectFrom('clients').select('id').where('id', '=', id).forUpdate().execute()
  return (await selectUnused(tx, unused).where('clients.id', '=', id).executeTakeFirst()) !== undefined
}
