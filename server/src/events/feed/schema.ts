import { type Static, Type } from 'typebox'
import { EventBody } from '../../audit/event-body.ts'

export const MAX_PAGE_SIZE = 1_000

export const FeedRequest = Type.Object({
  after: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: 'The last position already read: `next` of the previous page; 0 starts at the beginning',
  }),
  limit: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_VALUE,
    default: 100,
    description: `Events per page; larger values are treated as ${MAX_PAGE_SIZE}`,
  }),
  types: Type.Optional(
    Type.String({
      maxLength: 4_000,
      description: 'Types such as member.joined and families such as user.*, separated by commas',
    }),
  ),
  tenantId: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Only events of this tenant; a caller of a tenant sees no other',
    }),
  ),
})
export type FeedRequest = Static<typeof FeedRequest>

export const EventPage = Type.Object(
  {
    events: Type.Array(EventBody, { description: 'Oldest first' }),
    next: Type.Integer({
      description: '`after` for the next page, also when this page is empty',
    }),
    head: Type.Integer({
      description: 'The current end of the feed; when `next` equals `head`, everything was read',
    }),
  },
  { title: 'EventPage' },
)
export type EventPage = Static<typeof EventPage>
