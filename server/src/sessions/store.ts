import type { Insertable, Selectable } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { MailedLinksTable, SessionsTable } from '../db/tables.ts'

export type SessionRow = Selectable<SessionsTable>

const PERSON = [
  'users.email',
  'users.email_verified',
  'users.display_name',
  'users.given_name',
  'users.family_name',
  'users.is_super_admin',
] as const

/** The session of a cookie with its person, unless the account is disabled. */
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
    .executeTakeFirst()

/** Whether the person of this address has signed in from this part of the network, and not signed out there. */
export async function isKnownAt(db: Db, email: string, network: string): Promise<boolean> {
  const found = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select('sessions.id')
    .where('users.email', '=', email)
    .where('sessions.network', '=', network)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

export async function insertSession(db: Db, session: Insertable<SessionsTable>): Promise<void> {
  await db.insertInto('sessions').values(session).execute()
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

export async function touchSession(db: Db, id: string, now: Date): Promise<void> {
  await db.updateTable('sessions').set({ last_active_at: now }).where('id', '=', id).execute()
}

export async function deleteSessionsOfUser(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute()
}

export async function deleteSession(db: Db, id: string): Promise<void> {
  await db.deleteFrom('sessions').where('id', '=', id).execute()
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
    .select(['user_id', 'email', 'password_hash'])
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .forUpdate()
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

export async function deleteLinks(tx: Tx, { userId, purpose }: LinksOfUser): Promise<void> {
  await tx.deleteFrom('mailed_links').where('user_id', '=', userId).where('purpose', '=', purpose).execute()
}

export async function deleteExpiredLinks(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('mailed_links').where('expires_at', '<=', now).execute()
}
