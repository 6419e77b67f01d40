import { defineRoute } from '../../http/define-route.ts'
import { FeedPage, FeedRequest } from './schema.ts'
import { readFeed } from './service.ts'

export const feedRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/events',
    tag: 'Events',
    summary: 'Lists what happened after a position, the oldest first',
    caller: 'event-reader',
    query: FeedRequest,
    reply: { 200: FeedPage },
    handler: (ctx, { caller, query }) => readFeed(ctx, caller, query),
  }),
]
