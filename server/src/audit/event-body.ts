import { type Static, Type } from 'typebox'
import { Timestamp } from '../http/routing/schema.ts'
import { EVENT_TYPES } from './catalog.ts'
import type { FeedEvent } from './feed.ts'

const nullable = Type.Union([Type.String(), Type.Null()])

/** An event in the feed and in the body of a webhook request (Standard Webhooks: type, timestamp, data). */
export const EventBody = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'The same for every delivery of the event' }),
    position: Type.Integer({ description: 'The position in the feed; it increases with every event' }),
    type: Type.Enum(EVENT_TYPES),
    timestamp: Type.Unsafe<string>({ ...Timestamp, description: 'When it happened' }),
    data: Type.Object({
      tenantId: Type.Union([Type.String(), Type.Null()], { description: 'The tenant; null: none' }),
      userId: Type.Union([Type.String(), Type.Null()], {
        description: 'The affected user; for an INVITED member, the userId in the member list of the tenant',
      }),
      email: Type.Union([Type.String(), Type.Null()], {
        description: 'The affected email address; null: none, or it was erased',
      }),
      actor: Type.Object({ kind: Type.Enum(['user', 'client', 'system']), id: nullable }),
      details: Type.Object({}, { additionalProperties: true, description: 'Further data; see the type of the event' }),
    }),
  },
  { title: 'LatchkeyEvent' },
)
export type EventBody = Static<typeof EventBody>

export const toEventBody = ({ position, id, type, occurredAt, ...data }: FeedEvent): EventBody => ({
  id,
  position,
  type,
  timestamp: occurredAt.toISOString(),
  data,
})
