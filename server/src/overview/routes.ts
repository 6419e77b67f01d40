import { defineRoute } from '../http/routing/define-route.ts'
import { Overview } from './schema.ts'
import { getOverview } from './service.ts'

export const overviewRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/admin/overview',
    operationId: 'getInstanceOverview',
    summary: 'Shows the whole instance at a glance',
    tag: 'Administration',
    caller: 'administrator',
    reply: { 200: Overview },
    handler: (ctx) => getOverview(ctx),
  }),
]
