import { type Static, Type } from 'typebox'
import { EventBody } from '../../audit/event-body.ts'

export const LONGEST_PAGE = 1_000

export const FeedRequest = Type.Object({
  after: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: 'The position from which to go on: `next` of the page before; 0 is the beginning',
  }),
  limit: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_VALUE,
    default: 100,
    description: `Events on a page; more than ${LONGEST_PAGE} are read as ${LONGEST_PAGE}`,
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
      description: 'Of one tenant alone; whoever speaks for a tenant sees no other',
    }),
  ),
})
export type FeedRequest = Static<typeof FeedRequest>

export const FeedPage = Type.Object(
  {
    events: Type.Array(EventBody, { description: 'The oldest first' }),
    next: Type.Integer({
      description: 'The `after` of the next page, also when nothing on this one was wanted',
    }),
    head: Type.Integer({
      description: 'Where the feed ends at this moment; at `next` = `head` all has been read',
    }),
  },
  { title: 'FeedPage' },
)
export type FeedPage = Static<typeof FeedPage>
