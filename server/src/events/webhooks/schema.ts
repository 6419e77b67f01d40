import { type Static, Type } from 'typebox'
import { MOST_PATTERNS } from '../patterns.ts'

const Moment = Type.String({ format: 'date-time' })
const nullableMoment = (description: string) => Type.Union([Moment, Type.Null()], { description })

export const LONGEST_URL = 2_000
export const LONGEST_DESCRIPTION = 500

const settings = {
  url: Type.String({ maxLength: LONGEST_URL, description: 'An https address, without user and password' }),
  events: Type.Array(Type.String({ maxLength: 100 }), {
    minItems: 1,
    maxItems: MOST_PATTERNS,
    description: 'Types such as member.joined, families such as user.*, or *',
  }),
  description: Type.Optional(
    Type.Union([Type.String({ maxLength: LONGEST_DESCRIPTION }), Type.Null()], {
      description: 'What it is for, in one line',
    }),
  ),
  disabled: Type.Optional(Type.Boolean({ description: 'Nothing is sent while it is' })),
}

export const NewWebhook = Type.Object(settings, { title: 'NewWebhook' })
export type NewWebhook = Static<typeof NewWebhook>

export const WebhookChange = Type.Object(
  { ...settings, url: Type.Optional(settings.url), events: Type.Optional(settings.events) },
  { title: 'WebhookChange' },
)
export type WebhookChange = Static<typeof WebhookChange>

export const WebhookBody = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    events: Type.Array(Type.String()),
    description: Type.Union([Type.String(), Type.Null()]),
    disabled: Type.Boolean(),
    disabledAt: nullableMoment('Since when nothing is sent'),
    disabledReason: Type.Union([Type.Enum(['REQUESTED', 'GONE', 'UNREACHABLE']), Type.Null()], {
      description: 'By somebody, because it answered 410, or because nothing reached it for three days',
    }),
    previousSecretUntil: nullableMoment('Until when the secret before signs as well'),
    createdAt: Moment,
    updatedAt: Moment,
  },
  { title: 'Webhook' },
)
export type WebhookBody = Static<typeof WebhookBody>

export const WebhookList = Type.Object(
  { webhooks: Type.Array(WebhookBody, { description: 'The oldest first' }) },
  { title: 'WebhookList' },
)

const secret = Type.String({ description: 'Signs what is sent (Standard Webhooks); shown this once' })

export const CreatedWebhook = Type.Object({ ...WebhookBody.properties, secret }, { title: 'CreatedWebhook' })

export const RotatedSecret = Type.Object(
  { secret, previousSecretUntil: Moment },
  { title: 'RotatedWebhookSecret' },
)
