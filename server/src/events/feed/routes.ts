import { defineRoute } from '../../http/routing/define-route.ts'
import { EventPage, FeedRequest } from './schema.ts'
import { readFeed } from './service.ts'

export const feedRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/events',
    operationId: 'listEvents',
    tag: 'Events',
    summary: 'Lists events after a position, oldest first',
    caller: 'event-reader',
    query: FeedRequest,
    reply: { 200: EventPage },
    handler: (ctx, { caller, query }) => readFeed(ctx, caller, query),
  }),
]
