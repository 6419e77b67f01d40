import { type Static, Type } from 'typebox'
import { Timestamp } from '../../http/routing/schema.ts'

const nullableTimestamp = (description: string) => Type.Union([Timestamp, Type.Null()], { description })
const Status = Type.Enum(['PENDING', 'DELIVERED', 'FAILED'])
const Position = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export const MAX_PAGE_SIZE = 100

export const DeliveryQuery = Type.Object({
  status: Type.Optional(Status),
  after: Type.Optional(
    Type.Unsafe<number>({ ...Position, description: '`next` of the previous page; omitted: the first page' }),
  ),
  limit: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_VALUE,
    default: 20,
    description: `Entries per page; larger values are treated as ${MAX_PAGE_SIZE}`,
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
    attempts: Type.Integer({ description: 'Attempts since it was queued or replayed' }),
    lastStatus: Type.Union([Type.Integer(), Type.Null()], {
      description: 'HTTP status of the last attempt; null: no response',
    }),
    lastError: Type.Union([Type.String(), Type.Null()], {
      description:
        'Why the last attempt failed: address_refused, connection, timeout, tls, a status such as status_500, or event_gone',
    }),
    nextAttemptAt: nullableTimestamp('null: as soon as it is next in order, or never'),
    createdAt: Timestamp,
    finishedAt: nullableTimestamp('When it was delivered or abandoned'),
  },
  { title: 'WebhookDelivery' },
)
export type DeliveryBody = Static<typeof DeliveryBody>

export const DeliveryPage = Type.Object(
  {
    deliveries: Type.Array(DeliveryBody, { description: 'Newest event first' }),
    next: Type.Union([Type.Integer(), Type.Null()], {
      description: '`after` for the next page; null: this is the last page',
    }),
  },
  { title: 'WebhookDeliveryPage' },
)
export type DeliveryPage = Static<typeof DeliveryPage>

export const ReplayRequest = Type.Object(
  {
    after: Type.Optional(Type.Unsafe<number>({ ...Position, description: 'Events after this feed position' })),
    from: Type.Optional(Type.Unsafe<string>({ ...Timestamp, description: 'Events at or after this time' })),
    to: Type.Optional(Type.Unsafe<string>({ ...Timestamp, description: 'Events before this time' })),
    types: Type.Optional(
      Type.Array(Type.String({ maxLength: 100 }), {
        minItems: 1,
        maxItems: 100,
        description: 'Only these types or families, among those of the webhook',
      }),
    ),
  },
  { title: 'WebhookReplayRequest' },
)
export type ReplayRequest = Static<typeof ReplayRequest>

export const ReplayResult = Type.Object(
  {
    count: Type.Integer({ description: 'The number of replayed events' }),
    next: Type.Union([Type.Integer(), Type.Null()], {
      description: '`after` for the next request, when there may be more events; null: all events were replayed',
    }),
  },
  { title: 'WebhookReplay' },
)
export type ReplayResult = Static<typeof ReplayResult>
