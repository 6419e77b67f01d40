import { type Static, Type } from 'typebox'
import { Timestamp } from '../../http/routing/schema.ts'
import { MAX_PATTERNS } from '../patterns.ts'

const nullableTimestamp = (description: string) => Type.Union([Timestamp, Type.Null()], { description })

export const MAX_URL_LENGTH = 2_000
export const MAX_DESCRIPTION_LENGTH = 500

const settings = {
  url: Type.String({ maxLength: MAX_URL_LENGTH, description: 'An https URL without credentials' }),
  events: Type.Array(Type.String({ maxLength: 100 }), {
    minItems: 1,
    maxItems: MAX_PATTERNS,
    description: 'Types such as member.joined, families such as user.*, or *',
  }),
  description: Type.Optional(
    Type.Union([Type.String({ maxLength: MAX_DESCRIPTION_LENGTH }), Type.Null()], {
      description: 'A description in one line',
    }),
  ),
  disabled: Type.Optional(Type.Boolean({ description: 'While true, nothing is sent' })),
}

export const CreateWebhookRequest = Type.Object(settings, { title: 'CreateWebhookRequest' })
export type CreateWebhookRequest = Static<typeof CreateWebhookRequest>

export const UpdateWebhookRequest = Type.Object(
  { ...settings, url: Type.Optional(settings.url), events: Type.Optional(settings.events) },
  { title: 'UpdateWebhookRequest' },
)
export type UpdateWebhookRequest = Static<typeof UpdateWebhookRequest>

export const WebhookBody = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    events: Type.Array(Type.String()),
    description: Type.Union([Type.String(), Type.Null()]),
    disabled: Type.Boolean(),
    disabledAt: nullableTimestamp('When it was disabled'),
    disabledReason: Type.Union([Type.Enum(['REQUESTED', 'GONE', 'UNREACHABLE']), Type.Null()], {
      description: 'REQUESTED: by a user; GONE: it answered 410; UNREACHABLE: no delivery succeeded for three days',
    }),
    previousSecretUntil: nullableTimestamp('Until when the previous secret signs as well'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Webhook' },
)
export type WebhookBody = Static<typeof WebhookBody>

export const WebhookList = Type.Object(
  { webhooks: Type.Array(WebhookBody, { description: 'Oldest first' }) },
  { title: 'WebhookList' },
)

const secret = Type.String({ description: 'Signs the requests (Standard Webhooks); shown only once' })

export const CreatedWebhook = Type.Object({ ...WebhookBody.properties, secret }, { title: 'CreatedWebhook' })

export const RotatedSecret = Type.Object({ secret, previousSecretUntil: Timestamp }, { title: 'RotatedWebhookSecret' })
