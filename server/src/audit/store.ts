import { type Insertable, type RawBuilder, sql } from 'kysely'
import { type Db, runWrite } from '../db/open.ts'
import type { AuditEntriesTable } from '../db/tables.ts'

export type NewEntry = Insertable<AuditEntriesTable>

const COLUMNS = sql.raw(
  'id, occurred_at, action, actor_kind, actor_id, client_id, user_id, tenant_id, request_id, personal, details',
)
const COLUMNS_WITHOUT_DETAILS = sql.raw(
  'id, occurred_at, action, actor_kind, actor_id, client_id, user_id, tenant_id, request_id, personal::jsonb',
)

/** The entries as a table. The text does not depend on their number, so that the database can reuse its plan. */
const toTable = (entries: NewEntry[]) => sql`
  unnest(
    ${entries.map(({ id }) => id)}::uuid[], ${entries.map(({ occurred_at }) => occurred_at)}::timestamptz[],
    ${entries.map(({ action }) => action)}::text[], ${entries.map(({ actor_kind }) => actor_kind)}::text[],
    ${entries.map(({ actor_id }) => actor_id)}::text[], ${entries.map(({ client_id }) => client_id)}::text[],
    ${entries.map(({ user_id }) => user_id)}::uuid[], ${entries.map(({ tenant_id }) => tenant_id)}::uuid[],
    ${entries.map(({ request_id }) => request_id)}::text[], ${entries.map(({ personal }) => personal)}::text[],
    ${entries.map(({ details }) => details)}::text[]
  ) with ordinality as entry (${COLUMNS}, index)
`

const toInsert = (entries: NewEntry[]): RawBuilder<object> => sql`
  insert into audit_entries (${COLUMNS}) select ${COLUMNS_WITHOUT_DETAILS}, details::jsonb from ${toTable(entries)}
`

/**
 * Part of a statement that decides itself which entries to insert. `happened` selects them by index, starting at 1, and
 * adds details.
 */
export const insertSelectedEntries = (
  entries: NewEntry[],
  happened: RawBuilder<{ index: number; details: unknown }>,
): RawBuilder<unknown> => sql`
  insert into audit_entries (${COLUMNS})
  select ${COLUMNS_WITHOUT_DETAILS}, entry.details::jsonb || happened.details
  from ${toTable(entries)} join (${happened}) as happened using (index)
`

export async function insertEntries(db: Db, entries: NewEntry[]): Promise<void> {
  await runWrite(db, () => toInsert(entries).execute(db))
}

/** Inserts entries and runs a query in one statement. The query sees the state before the statement. */
export async function insertEntriesWithQuery<T>(
  db: Db,
  entries: NewEntry[],
  query: RawBuilder<T>,
): Promise<T | undefined> {
  const { rows } = await sql<T>`with inserted as (${toInsert(entries)}) ${query}`.execute(db)
  return rows[0]
}

/**
 * The latest entries by or about a user, newest first. Entries about an invitation do not contain the id of the invited
 * user, so they are found by the invitation.
 */
export const listEntriesOfUser = (db: Db, userId: string, limit: number) =>
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
      or([eb('user_id', '=', userId), eb('id', 'in', selectFrom('invited').select('invited.id'))]).as('is_about_them'),
    )
    .where('id', 'in', ({ selectFrom }) => selectFrom('own').select('own.id'))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/**
 * Erases the personal data of a user, including entries from before the account existed. The entries themselves stay.
 * Returns the ids of entries that only an address linked to the user.
 */
export async function deletePersonalData(db: Db, userId: string, addresses: string[]): Promise<string[]> {
  const emptied = await db
    .updateTable('audit_entries')
    .set({ personal: '{}' })
    .where((where) =>
      where.or([where('user_id', '=', userId), where('actor_id', '=', userId), where('about_email', 'in', addresses)]),
    )
    .where(sql<boolean>`personal <> '{}'`)
    .returning(['id', 'user_id', 'actor_id'])
    .execute()
  return emptied.filter((entry) => entry.user_id !== userId && entry.actor_id !== userId).map(({ id }) => id)
}
