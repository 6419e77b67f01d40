import { ActionResult } from '../http/routing/schema.ts'
import { defineWebhookRoutes } from './define-webhook-routes.ts'
import { DeliveryPage, DeliveryQuery, ReplayRequest, ReplayResult } from './deliveries/schema.ts'
import { listDeliveryPage, replayDelivery, replayEvents } from './deliveries/service.ts'
import { feedRoutes } from './feed/routes.ts'
import {
  CreatedWebhook,
  CreateWebhookRequest,
  RotatedSecret,
  UpdateWebhookRequest,
  WebhookBody,
  WebhookList,
} from './webhooks/schema.ts'
import { changeWebhook, createWebhook, getWebhook, removeWebhook, rotateSecret } from './webhooks/service.ts'
import { listWebhooks, type Webhook } from './webhooks/store.ts'

/** Omits the secret. */
const toBody = (webhook: Webhook): WebhookBody => ({
  id: webhook.id,
  url: webhook.url,
  events: webhook.events,
  description: webhook.description,
  disabled: webhook.disabled_at !== null,
  disabledAt: webhook.disabled_at?.toISOString() ?? null,
  disabledReason: webhook.disabled_reason,
  previousSecretUntil: webhook.previous_secret_until?.toISOString() ?? null,
  createdAt: webhook.created_at.toISOString(),
  updatedAt: webhook.updated_at.toISOString(),
})

const webhookRoutes = [
  defineWebhookRoutes({
    method: 'GET',
    path: '',
    operationIds: { instance: 'listInstanceWebhooks', tenant: 'listTenantWebhooks' },
    summary: 'Lists the webhooks',
    reply: { 200: WebhookList },
    handle: async (_ctx, { tx, owner }) => ({ webhooks: (await listWebhooks(tx, owner)).map(toBody) }),
  }),
  defineWebhookRoutes({
    method: 'POST',
    path: '',
    operationIds: { instance: 'createInstanceWebhook', tenant: 'createTenantWebhook' },
    summary: 'Creates a webhook, which gets events from now on; its secret is shown only once',
    body: CreateWebhookRequest,
    reply: { 201: CreatedWebhook },
    errors: ['TOO_MANY_WEBHOOKS'],
    async handle(ctx, scope, { body }) {
      const { webhook, secret } = await createWebhook(ctx, scope, body)
      return { ...toBody(webhook), secret }
    },
  }),
  defineWebhookRoutes({
    method: 'GET',
    path: '/:webhookId',
    operationIds: { instance: 'getInstanceWebhook', tenant: 'getTenantWebhook' },
    summary: 'Returns a webhook',
    reply: { 200: WebhookBody },
    errors: ['WEBHOOK_NOT_FOUND'],
    handle: async (_ctx, scope, { webhookId }) => toBody(await getWebhook(scope, webhookId)),
  }),
  defineWebhookRoutes({
    method: 'PATCH',
    path: '/:webhookId',
    operationIds: { instance: 'updateInstanceWebhook', tenant: 'updateTenantWebhook' },
    summary: 'Changes, disables or enables a webhook',
    body: UpdateWebhookRequest,
    reply: { 200: WebhookBody },
    errors: ['WEBHOOK_NOT_FOUND'],
    handle: async (ctx, scope, { webhookId, body }) => toBody(await changeWebhook(ctx, scope, webhookId, body)),
  }),
  defineWebhookRoutes({
    method: 'DELETE',
    path: '/:webhookId',
    operationIds: { instance: 'deleteInstanceWebhook', tenant: 'deleteTenantWebhook' },
    summary: 'Deletes a webhook and its pending deliveries',
    reply: { 200: ActionResult },
    errors: ['WEBHOOK_NOT_FOUND'],
    async handle(ctx, scope, { webhookId }) {
      await removeWebhook(ctx, scope, webhookId)
      return { success: true, message: 'Webhook deleted' }
    },
  }),
  defineWebhookRoutes({
    method: 'POST',
    path: '/:webhookId/secret',
    operationIds: { instance: 'rotateInstanceWebhookSecret', tenant: 'rotateTenantWebhookSecret' },
    summary: 'Rotates the secret of a webhook; it is shown only once, and the previous one signs as well for a day',
    reply: { 200: RotatedSecret },
    errors: ['WEBHOOK_NOT_FOUND'],
    async handle(ctx, scope, { webhookId }) {
      const { secret, previousSecretUntil } = await rotateSecret(ctx, scope, webhookId)
      return { secret, previousSecretUntil: previousSecretUntil.toISOString() }
    },
  }),
]

const deliveryRoutes = [
  defineWebhookRoutes({
    method: 'GET',
    path: '/:webhookId/deliveries',
    operationIds: { instance: 'listInstanceWebhookDeliveries', tenant: 'listTenantWebhookDeliveries' },
    summary: 'Lists the deliveries of a webhook',
    query: DeliveryQuery,
    reply: { 200: DeliveryPage },
    errors: ['WEBHOOK_NOT_FOUND'],
    handle: (_ctx, scope, { webhookId, query }) => listDeliveryPage(scope, webhookId, query),
  }),
  defineWebhookRoutes({
    method: 'POST',
    path: '/:webhookId/deliveries/:deliveryId/replay',
    operationIds: { instance: 'replayInstanceWebhookDelivery', tenant: 'replayTenantWebhookDelivery' },
    summary: 'Replays an event with the same webhook-id',
    reply: { 202: ReplayResult },
    errors: ['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'RATE_LIMITED'],
    handle: replayDelivery,
  }),
  defineWebhookRoutes({
    method: 'POST',
    path: '/:webhookId/replay',
    operationIds: { instance: 'replayInstanceWebhookEvents', tenant: 'replayTenantWebhookEvents' },
    summary: 'Replays the events after a position or of a period, at most 10,000 per request',
    body: ReplayRequest,
    reply: { 202: ReplayResult },
    errors: ['WEBHOOK_NOT_FOUND', 'RATE_LIMITED'],
    handle: (ctx, scope, { webhookId, body }) => replayEvents(ctx, scope, webhookId, body),
  }),
]

export const eventsRoutes = [...feedRoutes, ...webhookRoutes.flat(), ...deliveryRoutes.flat()]
