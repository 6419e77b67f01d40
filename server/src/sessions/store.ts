import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { MailedLinksTable, PendingSignInsTable, SessionsTable } from '../db/tables.ts'

export type SessionRow = Selectable<SessionsTable>

const PERSON = [
  'users.email',
  'users.email_verified',
  'users.display_name',
  'users.given_name',
  'users.family_name',
  'users.is_super_admin',
] as const

/** The session of a cookie with its person, unless the account is disabled or about to be deleted. */
export const findSessionBySecret = (db: Db, hash: Buffer) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('sessions')
    .select(PERSON)
    .where((where) =>
      where.or([where('sessions.secret_hash', '=', hash), where('sessions.previous_secret_hash', '=', hash)]),
    )
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

/** Says whether it was still there. */
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

type SessionChange = Partial<Omit<SessionRow, 'id' | 'user_id' | 'created_at'>>

/** Changes a session whose secret is still the given one; says whether it was. */
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

/** Adds ways in which the person of a session has proven who they are. */
export async function addSessionAmr(db: Db, id: string, amr: string[]): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ amr: sql`array(select distinct unnest(amr || ${amr}::text[]))` })
    .where('id', '=', id)
    .execute()
}

export async function isSession(db: Db, id: string): Promise<boolean> {
  const found = await db.selectFrom('sessions').select('id').where('id', '=', id).executeTakeFirst()
  return found !== undefined
}

export async function touchSession(db: Db, id: string, now: Date): Promise<void> {
  await db.updateTable('sessions').set({ last_active_at: now }).where('id', '=', id).execute()
}

export async function deleteSessionsOfUser(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute()
}

/** Whose session it was; undefined when it had ended before. */
export async function deleteSession(db: Db, id: string): Promise<string | undefined> {
  const deleted = await db.deleteFrom('sessions').where('id', '=', id).returning('user_id').executeTakeFirst()
  return deleted?.user_id
}

/** Sessions whose cookie has run out and that no token depends on. */
export async function deleteEndedSessions(
  db: Db,
  { idleSince, startedBefore }: Record<'idleSince' | 'startedBefore', Date>,
): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where((where) =>
      where.or([where('cookie_used_at', '<', idleSince), where('created_at', '<', startedBefore)]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('grants').select('grants.id').whereRef('grants.session_id', '=', 'sessions.id'))),
    )
    .execute()
}

export async function insertLink(tx: Tx, link: Insertable<MailedLinksTable>): Promise<void> {
  await tx.insertInto('mailed_links').values(link).execute()
}

/** Of several who follow a link at once, the others wait and then find it gone. */
export const lockLink = (tx: Tx, { hash, purpose, now }: { hash: Buffer; purpose: string; now: Date }) =>
  tx
    .selectFrom('mailed_links')
    .select(['user_id', 'email', 'password_hash', 'names'])
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .forUpdate()
    .executeTakeFirst()

/** A link that is still good, without using it. */
export const findGoodLink = (db: Db, { hash, purpose, now }: { hash: Buffer; purpose: string; now: Date }) =>
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

/** Lets the links that ask for no password ask for this one. */
export async function guardLinks(
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

/** Lets the links that ask for one password ask for another. */
export async function replaceGuard(
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

/** Of one purpose, or all. */
export async function deleteLinks(
  tx: Tx,
  { userId, purpose }: { userId: string; purpose?: string },
): Promise<void> {
  const links = tx.deleteFrom('mailed_links').where('user_id', '=', userId)
  await (purpose === undefined ? links : links.where('purpose', '=', purpose)).execute()
}

/** Ends the links of one who claims an address; those of others who do stay. */
export async function deleteClaim(
  tx: Tx,
  { userId, purpose, passwordHash }: LinksOfUser & { passwordHash: string | null },
): Promise<void> {
  await tx
    .deleteFrom('mailed_links')
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where((where) =>
      where.or([where('password_hash', 'is', null), where('password_hash', '=', passwordHash)]),
    )
    .execute()
}

export async function deleteExpiredLinks(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('mailed_links').where('expires_at', '<=', now).execute()
}
