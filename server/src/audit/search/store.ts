import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { ACTIONS } from '../catalogue.ts'
import { firstIdSince, lastIdUntil } from '../entry-ids.ts'

/** Which entries are meant. */
export interface EntryFilter {
  tenantId?: string | undefined
  /** One kind of entry, or all of one thing. */
  action?: string | undefined
  actorId?: string | undefined
  userId?: string | undefined
  clientId?: string | undefined
  requestId?: string | undefined
  ipAddress?: string | undefined
  from?: Date | undefined
  to?: Date | undefined
  /** As they stood at this moment. */
  asOf?: Date | undefined
}

/** Which part of them, in which order. */
export interface EntryRange {
  order: 'asc' | 'desc'
  /** The entry after which to go on. */
  after?: string | undefined
  offset?: number
  limit: number
}

function entriesOf(db: Db, filter: EntryFilter) {
  const { tenantId, action, actorId, userId, clientId, requestId, ipAddress } = filter
  let entries = withinTime(db, filter)
  if (tenantId !== undefined) entries = entries.where('audit_entries.tenant_id', '=', tenantId)
  // One by one, and not by how they begin, which could not be looked up behind the wall.
  if (action !== undefined) entries = entries.where('action', 'in', actionsOf(action))
  if (actorId !== undefined) entries = entries.where('actor_id', '=', actorId)
  if (userId !== undefined) entries = entries.where('audit_entries.user_id', '=', userId)
  if (clientId !== undefined) entries = entries.where('client_id', '=', clientId)
  if (requestId !== undefined) entries = entries.where('request_id', '=', requestId)
  if (ipAddress !== undefined) entries = entries.where('ip_address', '=', ipAddress)
  return entries
}

/** The kinds of one thing; one kind alone is what it is, and of what is unknown there is nothing. */
function actionsOf(action: string): string[] {
  const kinds = ACTIONS.filter((kind) => kind === action || kind.startsWith(`${action}.`))
  return kinds.length > 0 ? kinds : [action]
}

/** Ids grow with time: so the index of ids leads near the moment, however many entries there are. */
function withinTime(db: Db, { from, to, asOf }: EntryFilter) {
  let entries = db.selectFrom('audit_entries')
  if (asOf !== undefined) entries = entries.where('occurred_at', '<', asOf)
  if (from !== undefined)
    entries = entries.where('occurred_at', '>=', from).where('audit_entries.id', '>=', firstIdSince(from))
  if (to !== undefined)
    entries = entries.where('occurred_at', '<', to).where('audit_entries.id', '<', lastIdUntil(to))
  return entries
}

/** How many there are; not more than `most` are counted. */
export async function countEntries(db: Db, filter: EntryFilter, most: number): Promise<number> {
  const { count } = await db
    .selectFrom(entriesOf(db, filter).select('audit_entries.id').limit(most).as('counted'))
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** A part of what happened, with what whoever did it is called today. */
export function listEntries(db: Db, filter: EntryFilter, { order, after, offset = 0, limit }: EntryRange) {
  let part = entriesOf(db, filter).select('audit_entries.id')
  if (after !== undefined) part = part.where('audit_entries.id', order === 'asc' ? '>' : '<', after)
  return (
    db
      .selectFrom('audit_entries')
      .leftJoin('users', (join) =>
        join.on('users.id', '=', sql<string>`case when actor_kind = 'user' then actor_id::uuid end`),
      )
      .selectAll('audit_entries')
      .select(['users.email', 'users.display_name', 'users.given_name', 'users.family_name'])
      // Whoever is on the page is looked up for the page alone.
      .where('audit_entries.id', 'in', part.orderBy('audit_entries.id', order).offset(offset).limit(limit))
      .orderBy('audit_entries.id', order)
      .execute()
  )
}
export type FoundEntry = Awaited<ReturnType<typeof listEntries>>[number]
