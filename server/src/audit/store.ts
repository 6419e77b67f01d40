import { type Insertable, type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/open.ts'
import type { AuditEntriesTable } from '../db/tables.ts'

export type NewEntry = Insertable<AuditEntriesTable>

export async function insertEntries(db: Db, entries: NewEntry[]): Promise<void> {
  await db.insertInto('audit_entries').values(entries).execute()
}

/** Adds an entry and answers a question, which sees all that was done before, in one statement. */
export async function insertAndAsk<T>(
  db: Db,
  entry: NewEntry,
  question: RawBuilder<T>,
): Promise<T | undefined> {
  const insert = db.insertInto('audit_entries').values(entry)
  const { rows } = await sql<T>`with noted as (${insert}) ${question}`.execute(db)
  return rows[0]
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
        where('about_email', 'in', addresses),
      ]),
    )
    .where(sql<boolean>`personal <> '{}'`)
    .returning(['id', 'user_id', 'actor_id'])
    .execute()
  return emptied.filter((entry) => entry.user_id !== userId && entry.actor_id !== userId).map(({ id }) => id)
}
