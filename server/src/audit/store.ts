import { type Insertable, sql } from 'kysely'
import type { Db } from '../db/open.ts'
import type { AuditEntriesTable } from '../db/tables.ts'

export type NewEntry = Insertable<AuditEntriesTable>

export async function insertEntries(db: Db, entries: NewEntry[]): Promise<void> {
  await db.insertInto('audit_entries').values(entries).execute()
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

/**
 * Takes out what tells who somebody was, also before they had a record of their own; that something happened stays.
 * Returns the entries of which only an address told that they were about them.
 */
export async function depersonalise(db: Db, userId: string, addresses: string[]): Promise<string[]> {
  const emptied = await db
    .updateTable('audit_entries')
    .set({ personal: '{}' })
    .where((where) =>
      where.or([
        where('user_id', '=', userId),
        where('actor_id', '=', userId),
        sql<boolean>`personal ? 'email' and personal ->> 'email' in (${sql.join(addresses)})`,
      ]),
    )
    .where(sql<boolean>`personal <> '{}'`)
    .returning(['id', 'user_id', 'actor_id'])
    .execute()
  return emptied.filter((entry) => entry.user_id !== userId && entry.actor_id !== userId).map(({ id }) => id)
}
