import type { ActorKind } from '../../db/tables.ts'
import type { StreamEntry } from './store.ts'

/** An audit event as targets receive it. All types of targets send the same document. */
export interface StreamEvent {
  /** The same in every repetition. */
  id: string
  /** The position in the hash chain; it increases by one with every event. */
  position: number
  /** The hash of the chain up to this event, in hex. `latchkey audit verify --head position:hash` compares it. */
  hash: string
  occurredAt: string
  action: string
  actor: { kind: ActorKind; id: string | null }
  clientId: string | null
  tenantId: string | null
  userId: string | null
  email: string | null
  ipAddress: string | null
  userAgent: string | null
  requestId: string | null
  details: Record<string, unknown>
}

/** Consecutive events that are sent together. A repetition has the same positions. */
export interface Batch {
  firstPosition: number
  lastPosition: number
  /** In the order of their positions; never empty. */
  events: StreamEvent[]
}

export function toStreamEvent({ personal, ...entry }: StreamEntry): StreamEvent {
  // Personal data may have been erased.
  const personalField = (field: string) => (typeof personal[field] === 'string' ? personal[field] : null)
  return {
    id: entry.id,
    position: Number(entry.position),
    hash: entry.hash.toString('hex'),
    occurredAt: entry.occurred_at.toISOString(),
    action: entry.action,
    actor: { kind: entry.actor_kind, id: entry.actor_id },
    clientId: entry.client_id,
    tenantId: entry.tenant_id,
    userId: entry.user_id,
    email: personalField('email'),
    ipAddress: personalField('ipAddress'),
    userAgent: personalField('userAgent'),
    requestId: entry.request_id,
    details: entry.details,
  }
}
