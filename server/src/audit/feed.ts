import type { Db } from '../db/open.ts'
import type { ActorKind } from '../db/tables.ts'
import { EVENT_TYPES, type EventType } from './catalog.ts'
import { type LinkedEntry, listLinkedEntries } from './feed-store.ts'

export interface FeedQuery {
  /** The last position already read; 0 starts at the beginning. */
  after: number
  /** The last position to read. */
  upTo?: number | undefined
  limit: number
  /** Only events of this tenant. */
  tenantId?: string | undefined
  /** Only events of these types. */
  types?: readonly EventType[] | undefined
}

/** An audit entry as an event for other systems. It omits the IP address and the user agent. */
export interface FeedEvent {
  position: number
  id: string
  type: EventType
  occurredAt: Date
  actor: { kind: ActorKind; id: string | null }
  tenantId: string | null
  userId: string | null
  /** The affected address; null after it was erased. */
  email: string | null
  details: Record<string, unknown>
}

/**
 * Events after a position, in order. A position is assigned only after all earlier ones, so that no event can appear
 * later before a position that was already read.
 */
export async function listEvents(db: Db, { types = EVENT_TYPES, ...query }: FeedQuery): Promise<FeedEvent[]> {
  const entries = await listLinkedEntries(db, { ...query, types: [...types] })
  return entries.map(toEvent)
}

const toEvent = ({ personal, ...entry }: LinkedEntry): FeedEvent => ({
  position: Number(entry.position),
  id: entry.id,
  // The query selects event types only.
  type: entry.action as EventType,
  occurredAt: entry.occurred_at,
  actor: { kind: entry.actor_kind, id: entry.actor_id },
  tenantId: entry.tenant_id,
  userId: entry.user_id,
  email: typeof personal.email === 'string' ? personal.email : null,
  details: entry.details,
})
