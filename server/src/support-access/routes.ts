import { AppError } from '../errors.ts'
import { defineRoute } from '../http/routing/define-route.ts'
import { ActionResult } from '../http/routing/schema.ts'
import { t } from '../languages/translate.ts'
import { endSupportSession } from '../sessions/support/session.ts'
import { ByMember, StartedSupportAccess, StartSupportAccessRequest } from './schema.ts'
import { startSupportAccess } from './service.ts'

export const supportRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/admin/tenants/:id/members/:userId/support-sessions',
    operationId: 'adminStartSupportAccess',
    tag: 'Administration',
    summary: 'Starts support access: the caller, a Super Admin, acts as the member for a while',
    caller: 'administrator',
    params: ByMember,
    body: StartSupportAccessRequest,
    reply: { 201: StartedSupportAccess },
    errors: [
      'TENANT_NOT_FOUND',
      'TENANT_SUSPENDED',
      'MEMBER_NOT_FOUND',
      'OWN_ACCOUNT',
      'SUPPORT_ACCESS_OFF',
      'SUPPORT_ACCESS_REFUSED',
      'REAUTHENTICATION_REQUIRED',
      'MFA_REQUIRED',
      'RATE_LIMITED',
    ],
    handler: (ctx, { caller, params, body, request }) =>
      startSupportAccess(ctx, { caller, request, tenantId: params.id, userId: params.userId, body }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/users/me/support-session',
    operationId: 'endSupportAccess',
    tag: 'My account',
    summary: 'Ends the support access of the operator who acts as you with this token',
    caller: 'person',
    allowsSupport: true,
    reply: { 200: ActionResult },
    handler: async (ctx, { caller, request }) => {
      if (!caller.support) throw new AppError('FORBIDDEN', { message: t('Nobody acts as you with this token.') })
      await endSupportSession(ctx, caller.sessionId, request)
      return { success: true, message: t('Support access ended') }
    },
  }),
]
