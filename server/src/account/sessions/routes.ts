import { defineRoute } from '../../http/define-route.ts'
import { Done } from '../../http/schema.ts'
import { endOtherSessions, endSessionOf, listSessionsOf } from '../../sessions/overview.ts'
import { BySessionId, SessionList, SessionsEnded } from './schema.ts'

const common = { tag: 'My account', caller: 'person' } as const

export const ownSessionsRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/users/me/sessions',
    summary: 'Lists where you are signed in',
    reply: { 200: SessionList },
    async handler(ctx, { caller }) {
      const sessions = await listSessionsOf(ctx, caller)
      return {
        sessions: sessions.map((session) => ({
          id: session.id,
          userAgent: session.user_agent,
          ipAddress: session.ip_address,
          location: ctx.placeOf(session.ip_address),
          lastActive: session.last_active_at.toISOString(),
          createdAt: session.created_at.toISOString(),
          isCurrent: session.id === caller.sessionId,
        })),
      }
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/users/me/sessions/:sessionId',
    summary: 'Ends one of your sessions and every token that came from it',
    params: BySessionId,
    reply: { 200: Done },
    errors: ['SESSION_NOT_FOUND'],
    async handler(ctx, { caller, params, request }) {
      await endSessionOf(ctx, { ...caller, request }, params.sessionId)
      return { success: true, message: 'Session revoked' }
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/users/me/sessions',
    summary: 'Ends all your sessions but the current one',
    reply: { 200: SessionsEnded },
    async handler(ctx, { caller, request }) {
      const count = await endOtherSessions(ctx, { ...caller, request })
      return { success: true, message: 'All other sessions revoked', count }
    },
  }),
]
