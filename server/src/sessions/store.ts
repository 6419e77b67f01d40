import { type ExpressionBuilder, type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { MailedLinksTable, PendingSignInsTable, SessionsTable, Tables } from '../db/tables.ts'

export type SessionRow = Selectable<SessionsTable>

const USER_COLUMNS = [
  'users.email',
  'users.email_verified',
  'users.display_name',
  'users.given_name',
  'users.family_name',
  'users.is_super_admin',
] as const

/** Finds a session with its user, unless the account is disabled or scheduled for deletion. */
export const findSessionBySecret = (db: Db, hash: Buffer) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('sessions')
    .select(USER_COLUMNS)
    .where((where) =>
      where.or([where('sessions.secret_hash', '=', hash), where('sessions.previous_secret_hash', '=', hash)]),
    )
    // The session of an operator who acts as the user has a cookie of its own.
    .where('sessions.operator_id', 'is', null)
    .where('users.disabled', '=', false)
    .where('users.deletion_requested_at', 'is', null)
    .executeTakeFirst()

export async function insertPending(db: Db, pending: Insertable<PendingSignInsTable>): Promise<void> {
  await db.insertInto('pending_sign_ins').values(pending).execute()
}

export const findPendingBySecret = (db: Db, hash: Buffer, now: Date) =>
  db
    .selectFrom('pending_sign_ins')
    .select(['user_id', 'amr', 'auth_time', 'auth_time_assumed', 'restores'])
    .where('secret_hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()

/** Returns false if it was already gone. */
export async function deletePending(db: Db, hash: Buffer): Promise<boolean> {
  const deleted = await db
    .deleteFrom('pending_sign_ins')
    .where('secret_hash', '=', hash)
    .returning('user_id')
    .executeTakeFirst()
  return deleted !== undefined
}

export async function deletePendingOfUser(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('pending_sign_ins').where('user_id', '=', userId).execute()
}

export async function deleteExpiredPending(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('pending_sign_ins').where('expires_at', '<=', now).execute()
}

type SessionChange = Partial<Omit<SessionRow, 'id' | 'user_id' | 'created_at' | 'operator_id' | 'ends_at'>>

/** Updates a session if it still has this secret; returns whether it did. */
export async function updateSession(
  db: Db,
  { id, secret_hash }: Pick<SessionRow, 'id' | 'secret_hash'>,
  change: SessionChange,
): Promise<boolean> {
  const updated = await db
    .updateTable('sessions')
    .set(change)
    .where('id', '=', id)
    .where('secret_hash', '=', secret_hash)
    .returning('id')
    .executeTakeFirst()
  return updated !== undefined
}

/** Adds authentication methods to a session. */
export async function addSessionAmr(db: Db, id: string, amr: string[]): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ amr: sql`array(select distinct unnest(amr || ${amr}::text[]))` })
    .where('id', '=', id)
    .execute()
}

export async function sessionExists(db: Db, id: string): Promise<boolean> {
  const found = await db.selectFrom('sessions').select('id').where('id', '=', id).executeTakeFirst()
  return found !== undefined
}

export async function touchSession(db: Db, id: string, now: Date): Promise<void> {
  await db.updateTable('sessions').set({ last_active_at: now }).where('id', '=', id).execute()
}

export async function deleteSessionsOfUser(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute()
}

/** Returns the user, and the operator who acted as them; undefined if the session had already ended. */
export const deleteSession = (db: Db, id: string) =>
  db.deleteFrom('sessions').where('id', '=', id).returning(['user_id', 'operator_id']).executeTakeFirst()

/**
 * Deletes sessions with an expired cookie that no grant depends on. Clients are not told: nobody signed out, and a client
 * may keep its own session for longer.
 */
export async function deleteEndedSessions(
  db: Db,
  { idleSince, startedBefore }: Record<'idleSince' | 'startedBefore', Date>,
): Promise<void> {
  const isEnded = ({ and, or, eb, not, exists, selectFrom }: ExpressionBuilder<Tables, 'sessions'>) =>
    and([
      or([eb('sessions.cookie_used_at', '<', idleSince), eb('sessions.created_at', '<', startedBefore)]),
      not(exists(selectFrom('grants').select('grants.id').whereRef('grants.session_id', '=', 'sessions.id'))),
    ])
  await db
    .deleteFrom('session_clients')
    .where('session_id', 'in', (query) => query.selectFrom('sessions').select('sessions.id').where(isEnded))
    .execute()
  await db.deleteFrom('sessions').where(isEnded).execute()
}

export async function insertLink(tx: Tx, link: Insertable<MailedLinksTable>): Promise<void> {
  await tx.insertInto('mailed_links').values(link).execute()
}

/** Concurrent requests with the same link wait here and then find it gone. */
export const lockLink = (tx: Tx, { hash, purpose, now }: { hash: Buffer; purpose: string; now: Date }) =>
  tx
    .selectFrom('mailed_links')
    .select(['user_id', 'email', 'password_hash', 'names'])
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .forUpdate()
    .executeTakeFirst()

/** Finds a valid link without locking it. */
export const findValidLink = (db: Db, { hash, purpose, now }: { hash: Buffer; purpose: string; now: Date }) =>
  db
    .selectFrom('mailed_links')
    .select(['user_id', 'email', 'password_hash'])
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .executeTakeFirst()

interface LinksOfUser {
  userId: string
  purpose: string
}

/** Finds the newest valid link of a user that requires this password or none. */
export const findNewestLink = (
  db: Db,
  { userId, purpose, passwordHash, now }: LinksOfUser & { passwordHash: string | null; now: Date },
) =>
  db
    .selectFrom('mailed_links')
    .select(['email', 'mailed_at'])
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where((where) => where.or([where('password_hash', 'is', null), where('password_hash', '=', passwordHash)]))
    .where('expires_at', '>', now)
    .orderBy('expires_at', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Makes links that require no password require this one. */
export async function requirePasswordOnLinks(
  tx: Tx,
  { userId, purpose }: LinksOfUser,
  passwordHash: string | null,
): Promise<void> {
  await tx
    .updateTable('mailed_links')
    .set({ password_hash: passwordHash })
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where('password_hash', 'is', null)
    .execute()
}

/** Replaces the password that links require. */
export async function replaceLinkPassword(
  tx: Tx,
  { userId, from, to }: { userId: string; from: string | null; to: string },
): Promise<void> {
  await tx
    .updateTable('mailed_links')
    .set({ password_hash: to })
    .where('user_id', '=', userId)
    .where('password_hash', '=', from)
    .execute()
}

/** Returns false if it was already gone. */
export async function deleteLink(db: Db, { hash, purpose }: { hash: Buffer; purpose: string }): Promise<boolean> {
  const deleted = await db
    .deleteFrom('mailed_links')
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .returning('hash')
    .executeTakeFirst()
  return deleted !== undefined
}

/** Deletes the links of one purpose, or all. */
export async function deleteLinks(tx: Tx, { userId, purpose }: { userId: string; purpose?: string }): Promise<void> {
  const links = tx.deleteFrom('mailed_links').where('user_id', '=', userId)
  await (purpose === undefined ? links : links.where('purpose', '=', purpose)).execute()
}

/** Deletes a user's links that require this password or none. Links of other claimants of the address remain. */
export async function deleteLinksWithPassword(
  tx: Tx,
  { userId, purpose, passwordHash }: LinksOfUser & { passwordHash: string | null },
): Promise<void> {
  await tx
    .deleteFrom('mailed_links')
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where((where) => where.or([where('password_hash', 'is', null), where('password_hash', '=', passwordHash)]))
    .execute()
}

export async function deleteExpiredLinks(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('mailed_links').where('expires_at', '<=', now).execute()
}
