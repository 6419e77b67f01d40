import type { Db } from '../db/open.ts'
import type { ActorKind } from '../db/tables.ts'
import { EVENT_TYPES, type EventType } from './catalogue.ts'
import { type LinkedEntry, listLinked } from './feed/store.ts'

export interface FeedQuery {
  /** The position after which to go on; 0 is the beginning. */
  after: number
  /** The last position to look at. */
  upTo?: number | undefined
  limit: number
  /** Of one tenant alone. */
  tenantId?: string | undefined
  /** Of these types alone. */
  types?: readonly EventType[] | undefined
}

/** An entry of the log that others may learn of, at its place. It does not tell from where it was done. */
export interface FeedEvent {
  position: number
  id: string
  type: EventType
  occurredAt: Date
  actor: { kind: ActorKind; id: string | null }
  tenantId: string | null
  userId: string | null
  /** The address that it is about, unless that has been forgotten. */
  email: string | null
  details: Record<string, unknown>
}

/**
 * What happened after a position, in order. Nothing appears later before something that was read already: entries
 * have a position only once everything before them has.
 */
export async function listEvents(db: Db, { types = EVENT_TYPES, ...query }: FeedQuery): Promise<FeedEvent[]> {
  const entries = await listLinked(db, { ...query, types: [...types] })
  return entries.map(toEvent)
}

const toEvent = ({ personal, ...entry }: LinkedEntry): FeedEvent => ({
  position: Number(entry.position),
  id: entry.id,
  // The query asks for no others.
  type: entry.action as EventType,
  occurredAt: entry.occurred_at,
  actor: { kind: entry.actor_kind, id: entry.actor_id },
  tenantId: entry.tenant_id,
  userId: entry.user_id,
  email: typeof personal.email === 'string' ? personal.email : null,
  details: entry.details,
})
