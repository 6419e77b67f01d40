import { type Static, Type } from 'typebox'

const Moment = Type.String({ format: 'date-time' })
const nullableMoment = (description: string) => Type.Union([Moment, Type.Null()], { description })
const Status = Type.Enum(['PENDING', 'DELIVERED', 'FAILED'])
const Position = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export const LONGEST_PAGE = 100

export const DeliveryQuery = Type.Object({
  status: Type.Optional(Status),
  after: Type.Optional(
    Type.Unsafe<number>({ ...Position, description: '`next` of the page before; left out: the first page' }),
  ),
  limit: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_VALUE,
    default: 20,
    description: `Entries on a page; more than ${LONGEST_PAGE} are read as ${LONGEST_PAGE}`,
  }),
})
export type DeliveryQuery = Static<typeof DeliveryQuery>

export const DeliveryBody = Type.Object(
  {
    id: Type.String(),
    status: Status,
    event: Type.Object({
      id: Type.String({ description: 'The webhook-id of every attempt' }),
      type: Type.String(),
      position: Type.Integer(),
    }),
    attempts: Type.Integer({ description: 'Since it was queued or replayed' }),
    lastStatus: Type.Union([Type.Integer(), Type.Null()], {
      description: 'What the receiver answered to the last attempt, if it did',
    }),
    lastError: Type.Union([Type.String(), Type.Null()], {
      description:
        'Why the last attempt was in vain: address_refused, connection, timeout, tls, status_500 and so on, or event_gone',
    }),
    nextAttemptAt: nullableMoment('null: when it is its turn, or never again'),
    createdAt: Moment,
    finishedAt: nullableMoment('When it was delivered or given up'),
  },
  { title: 'WebhookDelivery' },
)
export type DeliveryBody = Static<typeof DeliveryBody>

export const DeliveryPage = Type.Object(
  {
    deliveries: Type.Array(DeliveryBody, { description: 'The newest event first' }),
    next: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The `after` of the next page; null: the last',
    }),
  },
  { title: 'WebhookDeliveryPage' },
)
export type DeliveryPage = Static<typeof DeliveryPage>

export const ReplayRequest = Type.Object(
  {
    after: Type.Optional(
      Type.Unsafe<number>({ ...Position, description: 'What stands after this position in the feed' }),
    ),
    from: Type.Optional(
      Type.Unsafe<string>({ ...Moment, description: 'What happened at this moment or after it' }),
    ),
    to: Type.Optional(Type.Unsafe<string>({ ...Moment, description: 'What happened before this moment' })),
    types: Type.Optional(
      Type.Array(Type.String({ maxLength: 100 }), {
        minItems: 1,
        maxItems: 100,
        description: 'Of what the webhook is for, only these types or families',
      }),
    ),
  },
  { title: 'WebhookReplayRequest' },
)
export type ReplayRequest = Static<typeof ReplayRequest>

export const Replayed = Type.Object(
  {
    count: Type.Integer({ description: 'Events that are sent once more' }),
    next: Type.Union([Type.Integer(), Type.Null()], {
      description: 'There may be more: the `after` with which to ask again; null: that was all',
    }),
  },
  { title: 'WebhookReplay' },
)
export type Replayed = Static<typeof Replayed>
