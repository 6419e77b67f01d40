import { defineRoute } from '../../http/routing/define-route.ts'
import { ActionResult } from '../../http/routing/schema.ts'
import { ByApplicationId, ConsentList, WithdrawnConsents } from './schema.ts'
import { listOwnConsents, withdrawConsents } from './service.ts'

const common = { tag: 'My account', caller: 'person' } as const

export const consentsRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/users/me/consents',
    operationId: 'listMyConsents',
    summary: 'Lists which third-party applications you have allowed what',
    reply: { 200: ConsentList },
    handler: async (ctx, { caller }) => ({ consents: await listOwnConsents(ctx, caller.userId) }),
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/users/me/consents/:applicationId',
    operationId: 'withdrawMyConsent',
    summary: 'Withdraws what you have allowed an application, in every tenant; its tokens end',
    params: ByApplicationId,
    reply: { 200: ActionResult },
    errors: ['CONSENT_NOT_FOUND'],
    async handler(ctx, { params, ...personRequest }) {
      await withdrawConsents(ctx, personRequest, params.applicationId)
      return { success: true, message: 'Consent withdrawn' }
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/users/me/consents',
    operationId: 'withdrawAllMyConsents',
    summary: 'Withdraws what you have allowed all applications; their tokens end',
    reply: { 200: WithdrawnConsents },
    async handler(ctx, personRequest) {
      const count = await withdrawConsents(ctx, personRequest)
      return { success: true, message: 'All consents withdrawn', count }
    },
  }),
]
