import type { Insertable, Selectable } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { SsoAttemptsTable, SsoLinksTable } from '../db/tables.ts'
import type { Identity } from './identity.ts'

export type StoredAttempt = Selectable<SsoAttemptsTable>
export type StoredLink = Selectable<SsoLinksTable>

export async function insertAttempt(db: Db, attempt: Insertable<SsoAttemptsTable>): Promise<void> {
  await db.insertInto('sso_attempts').values(attempt).execute()
}

/** Deletes an attempt, so that only one of several callbacks gets it. */
export const deleteAttempt = (db: Db, stateHash: Buffer): Promise<StoredAttempt | undefined> =>
  db.deleteFrom('sso_attempts').where('state_hash', '=', stateHash).returningAll().executeTakeFirst()

export async function deleteExpiredAttempts(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('sso_attempts').where('expires_at', '<=', now).execute()
}

type IdentityKey = Pick<Identity, 'issuer' | 'subject'>

/** The user who has linked the identity, also if they are disabled. */
export const findLinkedUser = (db: Db, { issuer, subject }: IdentityKey) =>
  db
    .selectFrom('sso_links')
    .innerJoin('users', 'users.id', 'sso_links.user_id')
    .selectAll('users')
    .where('sso_links.issuer', '=', issuer)
    .where('sso_links.subject', '=', subject)
    .executeTakeFirst()

/** Records the use of a link and the current display data. */
export async function updateLink(
  db: Db,
  { issuer, subject }: IdentityKey,
  columns: Pick<StoredLink, 'email' | 'display_name' | 'avatar_url' | 'last_used_at'>,
): Promise<void> {
  await db.updateTable('sso_links').set(columns).where('issuer', '=', issuer).where('subject', '=', subject).execute()
}

/** Returns false if the identity is linked already, or the user has another link to this provider. */
export async function insertLink(tx: Tx, link: Insertable<SsoLinksTable>): Promise<boolean> {
  const inserted = await tx
    .insertInto('sso_links')
    .values(link)
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst()
  return inserted !== undefined
}

export const listLinksOfUser = (db: Db, userId: string): Promise<StoredLink[]> =>
  db
    .selectFrom('sso_links')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('linked_at')
    .orderBy('provider')
    .execute()

export async function deleteLink(tx: Tx, userId: string, provider: string): Promise<void> {
  await tx.deleteFrom('sso_links').where('user_id', '=', userId).where('provider', '=', provider).execute()
}
