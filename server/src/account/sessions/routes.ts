import { defineRoute } from '../../http/routing/define-route.ts'
import { ActionResult } from '../../http/routing/schema.ts'
import { t } from '../../languages/translate.ts'
import { endOtherSessions, endUserSession, listUserSessions } from '../../sessions/overview.ts'
import { BySessionId, EndedSessions, SessionList } from './schema.ts'

const common = { tag: 'My account', caller: 'person' } as const

export const ownSessionsRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/users/me/sessions',
    operationId: 'listMySessions',
    summary: 'Lists where you are signed in',
    reply: { 200: SessionList },
    async handler(ctx, { caller }) {
      const sessions = await listUserSessions(ctx, caller)
      return {
        sessions: sessions.map((session) => ({
          id: session.id,
          userAgent: session.user_agent,
          ipAddress: session.ip_address,
          location: ctx.locate(session.ip_address),
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
    operationId: 'endMySession',
    summary: 'Ends one of your sessions and every token that came from it',
    params: BySessionId,
    reply: { 200: ActionResult },
    errors: ['SESSION_NOT_FOUND'],
    async handler(ctx, { caller, params, request }) {
      await endUserSession(ctx, { ...caller, request }, params.sessionId)
      return { success: true, message: t('Session revoked') }
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/users/me/sessions',
    operationId: 'endMyOtherSessions',
    summary: 'Ends all your sessions but the current one',
    reply: { 200: EndedSessions },
    async handler(ctx, { caller, request }) {
      const count = await endOtherSessions(ctx, { ...caller, request })
      return { success: true, message: t('All other sessions revoked'), count }
    },
  }),
]
