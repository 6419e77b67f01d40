import { type Insertable, sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { ClientRegistrationsTable } from '../../db/tables.ts'

export interface Registration {
  /** The id of the row of the client. */
  id: string
  applicationId: string
  accessTokenHash: Buffer
  postsSecret: boolean
  redirectHosts: string[] | null
  /** An administrator changed the client or its application. */
  changedByOperator: boolean
  disabled: boolean
}

export const findRegistration = (db: Db, clientId: string): Promise<Registration | undefined> =>
  db
    .selectFrom('client_registrations')
    .innerJoin('clients', 'clients.id', 'client_registrations.client_id')
    .select([
      'clients.id',
      'clients.application_id as applicationId',
      'access_token_hash as accessTokenHash',
      'posts_secret as postsSecret',
      'redirect_hosts as redirectHosts',
      'changed_by_operator as changedByOperator',
      'clients.disabled',
    ])
    .where('clients.client_id', '=', clientId)
    .executeTakeFirst()

export async function insertRegistration(tx: Tx, registration: Insertable<ClientRegistrationsTable>): Promise<void> {
  await tx.insertInto('client_registrations').values(registration).execute()
}

/** False if an administrator has changed the client or its application. */
export async function updateRegistration(tx: Tx, id: string, postsSecret: boolean): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('client_registrations')
    .set({ posts_secret: postsSecret })
    .where('client_id', '=', id)
    .where('changed_by_operator', '=', false)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Users are asked again for everything. The consents stay in their lists, with the tokens that the client has. */
export async function forgetConsentedScopes(tx: Tx, applicationId: string): Promise<void> {
  await tx.updateTable('consents').set({ scopes: [] }).where('application_id', '=', applicationId).execute()
}

/** The number of clients that registered themselves. */
export async function countRegistered(db: Db): Promise<number> {
  const { total } = await db
    .selectFrom('clients')
    .select(sql<number>`count(*)::int`.as('total'))
    .where('origin', '=', 'REGISTRATION')
    .executeTakeFirstOrThrow()
  return total
}

/** Registered clients of that age to which nobody has ever consented. */
export const listUnused = (
  db: Db,
  { before, limit }: { before: Date; limit: number },
): Promise<{ id: string; applicationId: string }[]> =>
  db
    .selectFrom('clients')
    .select(['id', 'application_id as applicationId'])
    .where('origin', '=', 'REGISTRATION')
    .where('created_at', '<', before)
    .where(sql<boolean>`not exists (select from consents where consents.application_id = clients.application_id)`)
    .where(sql<boolean>`not exists (select from grants where grants.client_id = clients.id)`)
    .orderBy('created_at')
    .limit(limit)
    .execute()
