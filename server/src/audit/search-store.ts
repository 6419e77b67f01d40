import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { ACTIONS } from './catalog.ts'
import { firstIdSince, lastIdUntil } from './entry-ids.ts'

export interface EntryFilter {
  tenantId?: string | undefined
  /** An action such as `member.suspended`, or a resource such as `member`. */
  action?: string | undefined
  actorId?: string | undefined
  userId?: string | undefined
  clientId?: string | undefined
  requestId?: string | undefined
  ipAddress?: string | undefined
  from?: Date | undefined
  to?: Date | undefined
  /** Only entries before this time. */
  asOf?: Date | undefined
}

export interface EntryRange {
  order: 'asc' | 'desc'
  /** The id of the last entry of the previous page. */
  after?: string | undefined
  offset?: number
  limit: number
}

function filterEntries(db: Db, filter: EntryFilter) {
  const { tenantId, action, actorId, userId, clientId, requestId, ipAddress } = filter
  let entries = filterByTime(db, filter)
  if (tenantId !== undefined) entries = entries.where('audit_entries.tenant_id', '=', tenantId)
  // A list instead of a prefix match: LIKE is not leakproof, so row-level security would prevent an index scan.
  if (action !== undefined) entries = entries.where('action', 'in', actionsOf(action))
  if (actorId !== undefined) entries = entries.where('actor_id', '=', actorId)
  if (userId !== undefined) entries = entries.where('audit_entries.user_id', '=', userId)
  if (clientId !== undefined) entries = entries.where('client_id', '=', clientId)
  if (requestId !== undefined) entries = entries.where('request_id', '=', requestId)
  if (ipAddress !== undefined) entries = entries.where('ip_address', '=', ipAddress)
  return entries
}

/** The actions of a resource. An unknown name is returned as it is and matches no entry. */
function actionsOf(action: string): string[] {
  const actions = ACTIONS.filter((known) => known === action || known.startsWith(`${action}.`))
  return actions.length > 0 ? actions : [action]
}

/** Ids grow with time, so that bounds on the id let the primary key index limit the scan. */
function filterByTime(db: Db, { from, to, asOf }: EntryFilter) {
  let entries = db.selectFrom('audit_entries')
  if (asOf !== undefined) entries = entries.where('occurred_at', '<', asOf)
  if (from !== undefined)
    entries = entries.where('occurred_at', '>=', from).where('audit_entries.id', '>=', firstIdSince(from))
  if (to !== undefined) entries = entries.where('occurred_at', '<', to).where('audit_entries.id', '<', lastIdUntil(to))
  return entries
}

/** Counts matching entries up to `limit`. */
export async function countEntries(db: Db, filter: EntryFilter, limit: number): Promise<number> {
  const { count } = await db
    .selectFrom(filterEntries(db, filter).select('audit_entries.id').limit(limit).as('counted'))
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** A page of entries, with the current name of each actor. */
export function listEntries(db: Db, filter: EntryFilter, { order, after, offset = 0, limit }: EntryRange) {
  let page = filterEntries(db, filter).select('audit_entries.id')
  if (after !== undefined) page = page.where('audit_entries.id', order === 'asc' ? '>' : '<', after)
  return (
    db
      .selectFrom('audit_entries')
      .leftJoin('users', (join) =>
        join.on('users.id', '=', sql<string>`case when actor_kind = 'user' then actor_id::uuid end`),
      )
      .selectAll('audit_entries')
      .select(['users.email', 'users.display_name', 'users.given_name', 'users.family_name'])
      // The page is selected first, so that actors are joined for its entries only.
      .where('audit_entries.id', 'in', page.orderBy('audit_entries.id', order).offset(offset).limit(limit))
      .orderBy('audit_entries.id', order)
      .execute()
  )
}
export type FoundEntry = Awaited<ReturnType<typeof listEntries>>[number]
