import type { Insertable, Selectable } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { SsoAttemptsTable, SsoLinksTable } from '../db/tables.ts'
import type { Identity } from './identity.ts'

export type StoredAttempt = Selectable<SsoAttemptsTable>
export type StoredLink = Selectable<SsoLinksTable>

export async function insertAttempt(db: Db, attempt: Insertable<SsoAttemptsTable>): Promise<void> {
  await db.insertInto('sso_attempts').values(attempt).execute()
}

/** Uses an attempt up: of several who come with it, one gets it. */
export const deleteAttempt = (db: Db, stateHash: Buffer): Promise<StoredAttempt | undefined> =>
  db.deleteFrom('sso_attempts').where('state_hash', '=', stateHash).returningAll().executeTakeFirst()

export async function deleteExpiredAttempts(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('sso_attempts').where('expires_at', '<=', now).execute()
}

type Key = Pick<Identity, 'issuer' | 'subject'>

/** Whose identity it is, also when they are disabled. */
export const findLinkedUser = (db: Db, { issuer, subject }: Key) =>
  db
    .selectFrom('sso_links')
    .innerJoin('users', 'users.id', 'sso_links.user_id')
    .selectAll('users')
    .where('sso_links.issuer', '=', issuer)
    .where('sso_links.subject', '=', subject)
    .executeTakeFirst()

/** Writes down that the identity was used, and what it is called now. */
export async function updateLink(
  db: Db,
  { issuer, subject }: Key,
  seen: Pick<StoredLink, 'email' | 'display_name' | 'avatar_url' | 'last_used_at'>,
): Promise<void> {
  await db
    .updateTable('sso_links')
    .set(seen)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute()
}

/** False when somebody has this identity already, or the person another one of this provider. */
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
