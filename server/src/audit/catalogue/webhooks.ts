import { Type } from 'typebox'
import { defineKinds, facts, Id, some } from './kind.ts'

const webhookId = Id

/** A webhook as the log has it: its address without the path, which may be a secret. */
const settings = {
  url: Type.String(),
  events: Type.Array(Type.String()),
  description: Type.Union([Type.String(), Type.Null()]),
  disabled: Type.Boolean(),
}
const State = facts(settings)
const Change = some(settings)

const EXAMPLE_ID = '0197a3c2-6f5e-7c41-9d0b-2f4f5c1f8a10'
const example = {
  url: 'https://hooks.example.com',
  events: ['member.*'],
  description: null,
  disabled: false,
}

/** What is done to webhooks. It is not sent by any. */
export const webhookKinds = defineKinds({
  'webhook.created': {
    says: 'A webhook was set up.',
    details: facts({ webhookId, after: State }),
    example: { webhookId: EXAMPLE_ID, after: example },
  },
  'webhook.changed': {
    says: 'A webhook was changed.',
    details: facts({ webhookId, before: Change, after: Change, pathChanged: Type.Optional(Type.Boolean()) }),
    example: { webhookId: EXAMPLE_ID, before: { disabled: true }, after: { disabled: false } },
  },
  'webhook.deleted': {
    says: 'A webhook was deleted.',
    details: facts({ webhookId, before: State }),
    example: { webhookId: EXAMPLE_ID, before: example },
  },
  'webhook.secret_rotated': {
    says: 'A webhook was given a new secret.',
    details: facts({ webhookId }),
    example: { webhookId: EXAMPLE_ID },
  },
  'webhook.replayed': {
    says: 'Events were sent to a webhook once more.',
    details: facts({ webhookId, deliveryId: Type.Optional(Id), count: Type.Integer() }),
    example: { webhookId: EXAMPLE_ID, count: 42 },
  },
  'webhook.disabled': {
    says: 'A webhook was disabled because it could not be reached for three days, or is gone.',
    details: facts({ webhookId, reason: Type.Enum(['GONE', 'UNREACHABLE']) }),
    example: { webhookId: EXAMPLE_ID, reason: 'UNREACHABLE' },
  },
})
