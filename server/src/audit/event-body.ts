import { type Static, Type } from 'typebox'
import { EVENT_TYPES } from './catalogue.ts'
import type { FeedEvent } from './feed.ts'

const nullable = Type.Union([Type.String(), Type.Null()])

/** An event as others get it: in the feed, and as the body of a webhook (Standard Webhooks: type, timestamp, data). */
export const EventBody = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Stays the same however often the event is sent' }),
    position: Type.Integer({ description: 'Where it stands in the feed; later ones stand further on' }),
    type: Type.Enum(EVENT_TYPES),
    timestamp: Type.String({ format: 'date-time', description: 'When it happened' }),
    data: Type.Object({
      tenantId: Type.Union([Type.String(), Type.Null()], { description: 'In which tenant; null: in none' }),
      userId: Type.Union([Type.String(), Type.Null()], {
        description: 'To whom; of who is INVITED, the userId that the members of the tenant show',
      }),
      email: Type.Union([Type.String(), Type.Null()], {
        description: 'The address that it is about; null: about none, or it has been forgotten',
      }),
      actor: Type.Object({ kind: Type.Enum(['user', 'client', 'system']), id: nullable }),
      details: Type.Object({}, { additionalProperties: true, description: 'What else there is to say' }),
    }),
  },
  { title: 'Event' },
)
export type EventBody = Static<typeof EventBody>

export const toEventBody = ({ position, id, type, occurredAt, ...data }: FeedEvent): EventBody => ({
  id,
  position,
  type,
  timestamp: occurredAt.toISOString(),
  data,
})
