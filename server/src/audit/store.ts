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

/** Takes out what tells who somebody was, also before they had a record of their own; that something happened stays. */
export async function depersonalise(db: Db, userId: string, addresses: string[]): Promise<void> {
  await db
    .updateTable('audit_entries')
    .set({ personal: '{}' })
    .where((where) =>
      where.or([
        where('user_id', '=', userId),
        where('actor_id', '=', userId),
        sql<boolean>`personal ? 'email' and personal ->> 'email' in (${sql.join(addresses)})`,
      ]),
    )
    .execute()
}

export interface TenantFilter {
  tenantId: string
  /** One kind of entry, or all of one thing. */
  action: string | undefined
  actorId: string | undefined
  userId: string | undefined
  from: Date | undefined
  to: Date | undefined
}

function entriesOfTenant(db: Db, { tenantId, action, actorId, userId, from, to }: TenantFilter) {
  let entries = db.selectFrom('audit_entries').where('audit_entries.tenant_id', '=', tenantId)
  if (action?.includes('.')) entries = entries.where('action', '=', action)
  else if (action !== undefined)
    entries = entries.where('action', 'like', `${action.replaceAll('_', '\\_')}.%`)
  if (actorId !== undefined) entries = entries.where('actor_id', '=', actorId)
  if (userId !== undefined) entries = entries.where('audit_entries.user_id', '=', userId)
  if (from !== undefined) entries = entries.where('occurred_at', '>=', from)
  if (to !== undefined) entries = entries.where('occurred_at', '<', to)
  return entries
}

export async function countTenantEntries(db: Db, filter: TenantFilter): Promise<number> {
  const { count } = await entriesOfTenant(db, filter)
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** A page of what happened in a tenant, the newest first, with what whoever did it is called today. */
export const listTenantEntries = (
  db: Db,
  filter: TenantFilter,
  { offset, limit }: { offset: number; limit: number },
) =>
  db
    .selectFrom('audit_entries')
    .leftJoin('users', (join) =>
      join.on('users.id', '=', sql<string>`case when actor_kind = 'user' then actor_id::uuid end`),
    )
    .selectAll('audit_entries')
    .select(['users.email', 'users.display_name', 'users.given_name', 'users.family_name'])
    .where(
      'audit_entries.id',
      'in',
      // Whoever is on the page is looked up for the page alone.
      entriesOfTenant(db, filter)
        .select('audit_entries.id')
        .orderBy('audit_entries.id', 'desc')
        .offset(offset)
        .limit(limit),
    )
    .orderBy('audit_entries.id', 'desc')
    .execute()
export type TenantEntry = Awaited<ReturnType<typeof listTenantEntries>>[number]
