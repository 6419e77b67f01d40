import { Type } from 'typebox'
import { isReachable } from '../../db/ping.ts'
import { defineRoute } from '../routing/define-route.ts'

const Health = Type.Object({ status: Type.String({ description: 'ok, draining or unavailable' }) }, { title: 'Health' })

export const healthRoutes = [
  defineRoute({
    method: 'GET',
    path: '/health/live',
    operationId: 'getLiveness',
    tag: 'Operation',
    summary: 'The process runs',
    caller: 'anyone',
    reply: { 200: Health },
    handler: () => ({ status: 'ok' }),
  }),
  defineRoute({
    method: 'GET',
    path: '/health/ready',
    operationId: 'getReadiness',
    tag: 'Operation',
    summary: 'Send traffic here: the database answers and no shutdown is under way',
    caller: 'anyone',
    reply: { 200: Health, 503: Health },
    async handler(ctx, { reply }) {
      if (ctx.state.draining) {
        reply.code(503)
        return { status: 'draining' }
      }
      const ok = await isReachable(ctx.db)
      reply.code(ok ? 200 : 503)
      return { status: ok ? 'ok' : 'unavailable' }
    },
  }),
]
