import { type Static, Type } from 'typebox'
import { Timestamp } from '../../http/routing/schema.ts'

const Status = Type.Enum(['PENDING', 'DELIVERED', 'FAILED'])
const nullableTimestamp = (description: string) => Type.Union([Timestamp, Type.Null()], { description })

export const MAX_PAGE_SIZE = 100

export const LogoutDeliveryQuery = Type.Object({
  status: Type.Optional(Status),
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: '`next` of the previous page; omitted: the first page',
    }),
  ),
  limit: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_VALUE,
    default: 20,
    description: `Entries per page; larger values are treated as ${MAX_PAGE_SIZE}`,
  }),
})
export type LogoutDeliveryQuery = Static<typeof LogoutDeliveryQuery>

export const LogoutDeliveryBody = Type.Object(
  {
    id: Type.String(),
    status: Status,
    userId: Type.String({ description: 'The sub of the logout token' }),
    sessionId: Type.String({ description: 'The sid of the logout token' }),
    attempts: Type.Integer({ description: 'Attempts since it was queued or replayed' }),
    lastStatus: Type.Union([Type.Integer(), Type.Null()], {
      description: 'HTTP status of the last attempt; null: no response',
    }),
    lastError: Type.Union([Type.String(), Type.Null()], {
      description:
        'Why the last attempt failed: address_refused, connection, timeout, tls, a status such as status_400, client_disabled or no_address',
    }),
    nextAttemptAt: nullableTimestamp('null: it is not sent any more'),
    createdAt: Type.Unsafe<string>({ ...Timestamp, description: 'When the session ended' }),
    finishedAt: nullableTimestamp('When it was delivered or abandoned'),
  },
  { title: 'LogoutDelivery' },
)
export type LogoutDeliveryBody = Static<typeof LogoutDeliveryBody>

export const LogoutDeliveryPage = Type.Object(
  {
    deliveries: Type.Array(LogoutDeliveryBody, { description: 'Newest first' }),
    next: Type.Union([Type.Integer(), Type.Null()], {
      description: '`after` for the next page; null: this is the last page',
    }),
  },
  { title: 'LogoutDeliveryPage' },
)
export type LogoutDeliveryPage = Static<typeof LogoutDeliveryPage>

export const ClientParams = Type.Object({ id: Type.String() })
export const LogoutDeliveryParams = Type.Object({ id: Type.String(), deliveryId: Type.String() })
