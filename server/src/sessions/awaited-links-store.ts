import type { Insertable, Selectable } from 'kysely'
import type { Db } from '../db/open.ts'
import type { AwaitedLinksTable } from '../db/tables.ts'

export type AwaitedLinkRow = Selectable<AwaitedLinksTable>

export async function insertAwaited(db: Db, row: Insertable<AwaitedLinksTable>): Promise<void> {
  await db.insertInto('awaited_links').values(row).execute()
}

export const findAwaited = (db: Db, key: Pick<AwaitedLinkRow, 'secret_hash' | 'purpose'> & { now: Date }) =>
  db
    .selectFrom('awaited_links')
    .selectAll()
    .where('secret_hash', '=', key.secret_hash)
    .where('purpose', '=', key.purpose)
    .where('expires_at', '>', key.now)
    .executeTakeFirst()

/** Whether a browser waits for the verification of this account's address. */
export async function isAwaited(db: Db, userId: string, now: Date): Promise<boolean> {
  const found = await db
    .selectFrom('awaited_links')
    .select('secret_hash')
    .where('user_id', '=', userId)
    .where('purpose', '=', 'verify-email')
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return found !== undefined
}

/** Returns false if it was already gone. */
export async function deleteAwaited(db: Db, secretHash: Buffer): Promise<boolean> {
  const deleted = await db
    .deleteFrom('awaited_links')
    .where('secret_hash', '=', secretHash)
    .returning('secret_hash')
    .executeTakeFirst()
  return deleted !== undefined
}

/**
 * Claims the right to send another mail now, whose link works until `expiresAt`. Returns false if a mail was sent after
 * `latest`.
 */
export async function claimMail(
  db: Db,
  { secretHash, latest, now, expiresAt }: Record<'latest' | 'now' | 'expiresAt', Date> & { secretHash: Buffer },
): Promise<boolean> {
  const claimed = await db
    .updateTable('awaited_links')
    .set({ mailed_at: now, expires_at: expiresAt })
    .where('secret_hash', '=', secretHash)
    .where('mailed_at', '<=', latest)
    .returning('secret_hash')
    .executeTakeFirst()
  return claimed !== undefined
}

export async function deleteExpiredAwaited(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('awaited_links').where('expires_at', '<=', now).execute()
}
