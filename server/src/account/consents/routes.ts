import { Type } from 'typebox'
import { ConsentList, InTenant, WithdrawnConsents } from '../../applications/consents/consent-body.ts'
import { listConsentsOf } from '../../applications/consents/service.ts'
import { defineRoute } from '../../http/routing/define-route.ts'
import { ActionResult } from '../../http/routing/schema.ts'
import { t } from '../../languages/translate.ts'
import { withdrawOwnConsents } from './service.ts'

const common = { tag: 'My account', caller: 'person' } as const

export const consentsRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/users/me/consents',
    operationId: 'listMyConsents',
    summary: 'Lists which third-party applications you have allowed what',
    reply: { 200: ConsentList },
    handler: async (ctx, { caller }) => ({ consents: await listConsentsOf(ctx, caller.userId) }),
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/users/me/consents/:applicationId',
    operationId: 'withdrawMyConsent',
    summary: 'Withdraws what you have allowed an application, in every tenant or in one; its tokens end',
    params: Type.Object({ applicationId: Type.String() }),
    query: InTenant,
    reply: { 200: ActionResult },
    errors: ['CONSENT_NOT_FOUND'],
    async handler(ctx, { params, query, ...personRequest }) {
      await withdrawOwnConsents(ctx, personRequest, { ...params, ...query })
      return { success: true, message: t('Consent withdrawn') }
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
      const count = await withdrawOwnConsents(ctx, personRequest, {})
      return { success: true, message: t('All consents withdrawn'), count }
    },
  }),
]
