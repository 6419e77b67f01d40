import { type Insertable, type RawBuilder, sql } from 'kysely'
import { asWrite, type Db } from '../db/open.ts'
import type { AuditEntriesTable } from '../db/tables.ts'

export type NewEntry = Insertable<AuditEntriesTable>

const COLUMNS = sql.raw(
  'id, occurred_at, action, actor_kind, actor_id, client_id, user_id, tenant_id, request_id, personal, details',
)
const ALL_BUT_DETAILS = sql.raw(
  'id, occurred_at, action, actor_kind, actor_id, client_id, user_id, tenant_id, request_id, personal::jsonb',
)

/** As a table, with the place of each. One text, however many they are, so that the database plans it once. */
const tableOf = (entries: NewEntry[]) => sql`
  unnest(
    ${entries.map(({ id }) => id)}::uuid[], ${entries.map(({ occurred_at }) => occurred_at)}::timestamptz[],
    ${entries.map(({ action }) => action)}::text[], ${entries.map(({ actor_kind }) => actor_kind)}::text[],
    ${entries.map(({ actor_id }) => actor_id)}::text[], ${entries.map(({ client_id }) => client_id)}::text[],
    ${entries.map(({ user_id }) => user_id)}::uuid[], ${entries.map(({ tenant_id }) => tenant_id)}::uuid[],
    ${entries.map(({ request_id }) => request_id)}::text[], ${entries.map(({ personal }) => personal)}::text[],
    ${entries.map(({ details }) => details)}::text[]
  ) with ordinality as entry (${COLUMNS}, place)
`

const insertOf = (entries: NewEntry[]): RawBuilder<object> => sql`
  insert into audit_entries (${COLUMNS}) select ${ALL_BUT_DETAILS}, details::jsonb from ${tableOf(entries)}
`

/**
 * As part of a statement that finds out itself what happens: of these, those whose place, from 1 on, it has, and with the
 * details that it adds.
 */
export const insertSome = (
  entries: NewEntry[],
  happened: RawBuilder<{ place: number; details: unknown }>,
): RawBuilder<unknown> => sql`
  insert into audit_entries (${COLUMNS})
  select ${ALL_BUT_DETAILS}, entry.details::jsonb || happened.details
  from ${tableOf(entries)} join (${happened}) as happened using (place)
`

export async function insertEntries(db: Db, entries: NewEntry[]): Promise<void> {
  await asWrite(db, () => insertOf(entries).execute(db))
}

/** Adds entries and answers a question, which sees all that was done before, in one statement. */
export async function insertAndAsk<T>(
  db: Db,
  entries: NewEntry[],
  question: RawBuilder<T>,
): Promise<T | undefined> {
  const { rows } = await sql<T>`with noted as (${insertOf(entries)}) ${question}`.execute(db)
  return rows[0]
}

/**
 * The last of what a person did, and of what was done to them, newest first. Entries about an invitation do not name the
 * person who is invited; the invitation itself does.
 */
export const listEntriesOf = (db: Db, userId: string, limit: number) =>
  db
    .with('invited', (cte) =>
      cte
        .selectFrom('invitations')
        .innerJoin('audit_entries', (join) =>
          join
            .onRef('about_email', '=', 'invitations.email')
            .onRef('audit_entries.tenant_id', '=', 'invitations.tenant_id')
            .on(sql<boolean>`details ->> 'invitationId' = invitations.id::text`),
        )
        .select('audit_entries.id')
        .where('invitations.user_id', '=', userId),
    )
    .with('own', (cte) =>
      cte
        .selectFrom('audit_entries')
        .select('id')
        .where((where) => where.or([where('user_id', '=', userId), where('actor_id', '=', userId)]))
        .union(cte.selectFrom('invited').select('id')),
    )
    .selectFrom('audit_entries')
    .selectAll()
    .select(({ or, eb, selectFrom }) =>
      or([eb('user_id', '=', userId), eb('id', 'in', selectFrom('invited').select('invited.id'))]).as(
        'is_about_them',
      ),
    )
    .where('id', 'in', ({ selectFrom }) => selectFrom('own').select('own.id'))
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
