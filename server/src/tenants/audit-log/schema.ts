import { type Static, Type } from 'typebox'
import { Pagination, pageQuery } from '../../http/pagination.ts'

const nullable = Type.Union([Type.String(), Type.Null()])
const Id = Type.String({ format: 'uuid' })
const Moment = Type.String({ format: 'date-time' })

export const AuditQuery = Type.Object({
  ...pageQuery,
  action: Type.Optional(
    Type.String({
      pattern: '^[a-z_]+(\\.[a-z_]+)?$',
      maxLength: 100,
      description: 'One kind of entry such as member.suspended, or all of one thing such as member',
    }),
  ),
  actorId: Type.Optional(Type.String({ maxLength: 200, description: 'Who did it' })),
  userId: Type.Optional(Type.Unsafe<string>({ ...Id, description: 'To whom it happened' })),
  from: Type.Optional(Type.Unsafe<string>({ ...Moment, description: 'At this moment or after it' })),
  to: Type.Optional(Type.Unsafe<string>({ ...Moment, description: 'Before this moment' })),
})
export type AuditQuery = Static<typeof AuditQuery>

const AuditEntry = Type.Object(
  {
    id: Type.String(),
    occurredAt: Moment,
    action: Type.String({ description: 'Such as member.suspended' }),
    actor: Type.Object({
      kind: Type.Enum(['user', 'client', 'system']),
      id: nullable,
      displayName: nullable,
    }),
    userId: Type.Union([Type.String(), Type.Null()], { description: 'To whom it happened' }),
    email: Type.Union([Type.String(), Type.Null()], {
      description: 'The address it is about, as it was then',
    }),
    ipAddress: nullable,
    userAgent: nullable,
    requestId: nullable,
    details: Type.Object({}, { additionalProperties: true, description: 'As it was before, and is after' }),
  },
  { title: 'AuditEntry' },
)

export const AuditPage = Type.Object(
  { entries: Type.Array(AuditEntry, { description: 'The newest first' }), pagination: Pagination },
  { title: 'AuditPage' },
)
export type AuditPage = Static<typeof AuditPage>
