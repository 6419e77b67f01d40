import type { Insertable } from 'kysely'
import type { Db } from '../db/open.ts'
import type { AuditEntriesTable } from '../db/tables.ts'

export async function insertEntry(db: Db, entry: Insertable<AuditEntriesTable>): Promise<void> {
  await db.insertInto('audit_entries').values(entry).execute()
}

/** The last of what a person did, and of what was done to them, newest first. */
export const listEntriesOf = (db: Db, userId: string, limit: number) =>
  db
    .selectFrom('audit_entries')
    .selectAll()
    .where((where) => where.or([where('user_id', '=', userId), where('actor_id', '=', userId)]))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Takes out what tells who somebody was; that something happened stays. */
export async function depersonalise(db: Db, userId: string): Promise<void> {
  await db
    .updateTable('audit_entries')
    .set({ personal: '{}' })
    .where((where) => where.or([where('user_id', '=', userId), where('actor_id', '=', userId)]))
    .execute()
}
