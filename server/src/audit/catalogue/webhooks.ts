import { Type } from 'typebox'
import { defineKinds } from './kind.ts'

const closed = { additionalProperties: false }
const webhookId = Type.String({ format: 'uuid' })

/** A webhook as the log has it: its address without what stands behind the path. */
const settings = {
  url: Type.String(),
  events: Type.Array(Type.String()),
  description: Type.Union([Type.String(), Type.Null()]),
  disabled: Type.Boolean(),
}
const State = Type.Object(settings, closed)
const Change = Type.Partial(State, closed)

const EXAMPLE_ID = '0197a3c2-6f5e-7c41-9d0b-2f4f5c1f8a10'
const example = {
  url: 'https://hooks.example.com/latchkey',
  events: ['member.*'],
  description: null,
  disabled: false,
}

/** What is done to webhooks. It is not sent by any. */
export const webhookKinds = defineKinds({
  'webhook.created': {
    says: 'A webhook was set up.',
    details: Type.Object({ webhookId, after: State }, closed),
    example: { webhookId: EXAMPLE_ID, after: example },
  },
  'webhook.changed': {
    says: 'A webhook was changed.',
    details: Type.Object({ webhookId, before: Change, after: Change }, closed),
    example: { webhookId: EXAMPLE_ID, before: { disabled: true }, after: { disabled: false } },
  },
  'webhook.deleted': {
    says: 'A webhook was deleted.',
    details: Type.Object({ webhookId, before: State }, closed),
    example: { webhookId: EXAMPLE_ID, before: example },
  },
  'webhook.secret_rotated': {
    says: 'A webhook was given a new secret.',
    details: Type.Object({ webhookId }, closed),
    example: { webhookId: EXAMPLE_ID },
  },
  'webhook.replayed': {
    says: 'Events were sent to a webhook once more.',
    details: Type.Object(
      { webhookId, deliveryId: Type.Optional(Type.String({ format: 'uuid' })), count: Type.Integer() },
      closed,
    ),
    example: { webhookId: EXAMPLE_ID, count: 42 },
  },
  'webhook.disabled': {
    says: 'A webhook was disabled because it could not be reached for three days, or is gone.',
    details: Type.Object({ webhookId, reason: Type.Enum(['GONE', 'UNREACHABLE']) }, closed),
    example: { webhookId: EXAMPLE_ID, reason: 'UNREACHABLE' },
  },
})
