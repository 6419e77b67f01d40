import { defineRoute } from '../http/define-route.ts'
import { Overview } from './schema.ts'
import { overviewOf } from './service.ts'

export const overviewRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/admin/overview',
    summary: 'Shows the whole instance at a glance',
    tag: 'Administration',
    caller: 'administrator',
    reply: { 200: Overview },
    handler: (ctx) => overviewOf(ctx),
  }),
]
