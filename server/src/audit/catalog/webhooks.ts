import { Type } from 'typebox'
import { defineActions, Id, partialObject, strictObject } from './definition.ts'

/** Actions on webhooks. */

const webhookId = Id

/** A webhook in the audit log. The URL has no path, because the path may be a secret. */
const settings = {
  url: Type.String(),
  events: Type.Array(Type.String()),
  description: Type.Union([Type.String(), Type.Null()]),
  disabled: Type.Boolean(),
}
const State = strictObject(settings)
const Change = partialObject(settings)

const EXAMPLE_ID = '0197a3c2-6f5e-7c41-9d0b-2f4f5c1f8a10'
const example = {
  url: 'https://hooks.example.com',
  events: ['member.*'],
  description: null,
  disabled: false,
}

/** Changes of webhooks. They are not sent as events. */
export const webhookActions = defineActions({
  'webhook.created': {
    summary: 'A webhook was created.',
    details: strictObject({ webhookId, after: State }),
    example: { webhookId: EXAMPLE_ID, after: example },
  },
  'webhook.changed': {
    summary: 'A webhook was changed.',
    details: strictObject({
      webhookId,
      before: Change,
      after: Change,
      pathChanged: Type.Optional(Type.Boolean()),
    }),
    example: { webhookId: EXAMPLE_ID, before: { disabled: true }, after: { disabled: false } },
  },
  'webhook.deleted': {
    summary: 'A webhook was deleted.',
    details: strictObject({ webhookId, before: State }),
    example: { webhookId: EXAMPLE_ID, before: example },
  },
  'webhook.secret_rotated': {
    summary: 'The secret of a webhook was rotated.',
    details: strictObject({ webhookId }),
    example: { webhookId: EXAMPLE_ID },
  },
  'webhook.replayed': {
    summary: 'Events were replayed to a webhook.',
    details: strictObject({ webhookId, deliveryId: Type.Optional(Id), count: Type.Integer() }),
    example: { webhookId: EXAMPLE_ID, count: 42 },
  },
  'webhook.disabled': {
    summary: 'A webhook was disabled because it was unreachable for three days or answered 410 Gone.',
    details: strictObject({ webhookId, reason: Type.Enum(['GONE', 'UNREACHABLE']) }),
    example: { webhookId: EXAMPLE_ID, reason: 'UNREACHABLE' },
  },
})
