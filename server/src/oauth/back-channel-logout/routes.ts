import { toAuditSource } from '../../audit/record.ts'
import { defineRoute } from '../../http/routing/define-route.ts'
import { ActionResult } from '../../http/routing/schema.ts'
import { t } from '../../languages/translate.ts'
import { listLogoutPage, replayLogout } from './deliveries.ts'
import { ClientParams, LogoutDeliveryPage, LogoutDeliveryParams, LogoutDeliveryQuery } from './schema.ts'

const common = { tag: 'Administration', caller: 'administrator' } as const

export const logoutDeliveryRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/clients/:id/logouts',
    operationId: 'listLogoutDeliveries',
    summary: 'Lists the logout tokens for a client',
    params: ClientParams,
    query: LogoutDeliveryQuery,
    reply: { 200: LogoutDeliveryPage },
    errors: ['CLIENT_NOT_FOUND'],
    handler: (ctx, { params, query }) => listLogoutPage(ctx, params.id, query),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/admin/clients/:id/logouts/:deliveryId/replay',
    operationId: 'replayLogoutDelivery',
    summary: 'Sends a logout token to a client again',
    params: LogoutDeliveryParams,
    reply: { 202: ActionResult },
    errors: ['CLIENT_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'RATE_LIMITED'],
    async handler(ctx, { params, caller, request }) {
      await replayLogout(ctx, params, toAuditSource(caller, request))
      return { success: true, message: t('The logout token is sent again') }
    },
  }),
]
