import { Done } from '../http/schema.ts'
import { DeliveryPage, DeliveryQuery, Replayed, ReplayRequest } from './deliveries/schema.ts'
import { pageOfDeliveries, replayDelivery, replayEvents } from './deliveries/service.ts'
import { defineDoors } from './doors.ts'
import { feedRoutes } from './feed/routes.ts'
import {
  CreatedWebhook,
  NewWebhook,
  RotatedSecret,
  WebhookBody,
  WebhookChange,
  WebhookList,
} from './webhooks/schema.ts'
import { changeWebhook, createWebhook, getWebhook, removeWebhook, rotateSecret } from './webhooks/service.ts'
import { listWebhooks, type Webhook } from './webhooks/store.ts'

/** Never the secret. */
const show = (webhook: Webhook): WebhookBody => ({
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
  defineDoors({
    method: 'GET',
    path: '',
    summary: 'Lists the webhooks',
    reply: { 200: WebhookList },
    act: async (_ctx, { tx, owner }) => ({ webhooks: (await listWebhooks(tx, owner)).map(show) }),
  }),
  defineDoors({
    method: 'POST',
    path: '',
    summary: 'Sets up a webhook, which gets what happens from now on; its secret is shown this once',
    body: NewWebhook,
    reply: { 201: CreatedWebhook },
    errors: ['TOO_MANY_WEBHOOKS'],
    async act(ctx, desk, { body }) {
      const { webhook, secret } = await createWebhook(ctx, desk, body)
      return { ...show(webhook), secret }
    },
  }),
  defineDoors({
    method: 'GET',
    path: '/:webhookId',
    summary: 'Shows a webhook',
    reply: { 200: WebhookBody },
    errors: ['WEBHOOK_NOT_FOUND'],
    act: async (_ctx, desk, { webhookId }) => show(await getWebhook(desk, webhookId)),
  }),
  defineDoors({
    method: 'PATCH',
    path: '/:webhookId',
    summary: 'Changes, disables or enables a webhook',
    body: WebhookChange,
    reply: { 200: WebhookBody },
    errors: ['WEBHOOK_NOT_FOUND'],
    act: async (ctx, desk, { webhookId, body }) => show(await changeWebhook(ctx, desk, webhookId, body)),
  }),
  defineDoors({
    method: 'DELETE',
    path: '/:webhookId',
    summary: 'Deletes a webhook, and with it what waits to be sent',
    reply: { 200: Done },
    errors: ['WEBHOOK_NOT_FOUND'],
    async act(ctx, desk, { webhookId }) {
      await removeWebhook(ctx, desk, webhookId)
      return { success: true, message: 'Webhook deleted' }
    },
  }),
  defineDoors({
    method: 'POST',
    path: '/:webhookId/secret',
    summary: 'Gives a webhook a new secret, shown this once; the one before signs as well for a day',
    reply: { 200: RotatedSecret },
    errors: ['WEBHOOK_NOT_FOUND'],
    async act(ctx, desk, { webhookId }) {
      const { secret, previousSecretUntil } = await rotateSecret(ctx, desk, webhookId)
      return { secret, previousSecretUntil: previousSecretUntil.toISOString() }
    },
  }),
]

const deliveryRoutes = [
  defineDoors({
    method: 'GET',
    path: '/:webhookId/deliveries',
    summary: 'Lists what was and is to be sent to a webhook',
    query: DeliveryQuery,
    reply: { 200: DeliveryPage },
    errors: ['WEBHOOK_NOT_FOUND'],
    act: (_ctx, desk, { webhookId, query }) => pageOfDeliveries(desk, webhookId, query),
  }),
  defineDoors({
    method: 'POST',
    path: '/:webhookId/deliveries/:deliveryId/replay',
    summary: 'Sends an event once more, under the same webhook-id',
    reply: { 202: Replayed },
    errors: ['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'RATE_LIMITED'],
    act: replayDelivery,
  }),
  defineDoors({
    method: 'POST',
    path: '/:webhookId/replay',
    summary: 'Sends once more what happened after a position or in a time, at most 10,000 events at once',
    body: ReplayRequest,
    reply: { 202: Replayed },
    errors: ['WEBHOOK_NOT_FOUND', 'RATE_LIMITED'],
    act: (ctx, desk, { webhookId, body }) => replayEvents(ctx, desk, webhookId, body),
  }),
]

export const eventsRoutes = [...feedRoutes, ...webhookRoutes.flat(), ...deliveryRoutes.flat()]
