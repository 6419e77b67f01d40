import type { Input, Reply } from '@latchkey/client'
import type { QueryKey } from '@tanstack/react-query'
import { call } from '../../api/api.ts'

/** The webhooks API of a tenant and of the instance. Both have the same operations under different paths. */

export type Webhook = Reply<'GET /api/admin/webhooks'>['webhooks'][number]
export type Delivery = Reply<'GET /api/admin/webhooks/{webhookId}/deliveries'>['deliveries'][number]
export type DeliveryQuery = NonNullable<Input<'GET /api/admin/webhooks/{webhookId}/deliveries'>['query']>
export type WebhookBody = Input<'POST /api/admin/webhooks'>['body']
export type WebhookChange = NonNullable<Input<'PATCH /api/admin/webhooks/{webhookId}'>['body']>
export type ReplayBody = NonNullable<Input<'POST /api/admin/webhooks/{webhookId}/replay'>['body']>

/** The query key of webhook data. */
export const webhooksKey = (tenantId: string | undefined, ...rest: unknown[]): QueryKey => [
  'webhooks',
  tenantId ?? null,
  ...rest,
]

export const webhooksApi = (tenantId: string | undefined) =>
  tenantId === undefined ? instanceApi : tenantApi(tenantId)

const instanceApi = {
  list: () => call('GET /api/admin/webhooks', {}),
  get: (webhookId: string) => call('GET /api/admin/webhooks/{webhookId}', { path: { webhookId } }),
  create: (body: WebhookBody) => call('POST /api/admin/webhooks', { body }),
  change: (webhookId: string, body: WebhookChange) =>
    call('PATCH /api/admin/webhooks/{webhookId}', { path: { webhookId }, body }),
  remove: (webhookId: string) => call('DELETE /api/admin/webhooks/{webhookId}', { path: { webhookId } }),
  rotate: (webhookId: string) => call('POST /api/admin/webhooks/{webhookId}/secret', { path: { webhookId } }),
  deliveries: (webhookId: string, query: DeliveryQuery) =>
    call('GET /api/admin/webhooks/{webhookId}/deliveries', { path: { webhookId }, query }),
  replayOne: (webhookId: string, deliveryId: string) =>
    call('POST /api/admin/webhooks/{webhookId}/deliveries/{deliveryId}/replay', {
      path: { webhookId, deliveryId },
    }),
  replay: (webhookId: string, body: ReplayBody) =>
    call('POST /api/admin/webhooks/{webhookId}/replay', { path: { webhookId }, body }),
}

const tenantApi = (id: string): typeof instanceApi => ({
  list: () => call('GET /api/tenants/{id}/webhooks', { path: { id } }),
  get: (webhookId) => call('GET /api/tenants/{id}/webhooks/{webhookId}', { path: { id, webhookId } }),
  create: (body) => call('POST /api/tenants/{id}/webhooks', { path: { id }, body }),
  change: (webhookId, body) => call('PATCH /api/tenants/{id}/webhooks/{webhookId}', { path: { id, webhookId }, body }),
  remove: (webhookId) => call('DELETE /api/tenants/{id}/webhooks/{webhookId}', { path: { id, webhookId } }),
  rotate: (webhookId) => call('POST /api/tenants/{id}/webhooks/{webhookId}/secret', { path: { id, webhookId } }),
  deliveries: (webhookId, query) =>
    call('GET /api/tenants/{id}/webhooks/{webhookId}/deliveries', { path: { id, webhookId }, query }),
  replayOne: (webhookId, deliveryId) =>
    call('POST /api/tenants/{id}/webhooks/{webhookId}/deliveries/{deliveryId}/replay', {
      path: { id, webhookId, deliveryId },
    }),
  replay: (webhookId, body) =>
    call('POST /api/tenants/{id}/webhooks/{webhookId}/replay', { path: { id, webhookId }, body }),
})
