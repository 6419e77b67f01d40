import { type Static, Type } from 'typebox'
import { CursorPagination, pageQuery } from '../http/pagination.ts'
import { displayNameOf } from '../lib/display-name.ts'
import type { FoundEntry } from './search/store.ts'

const nullable = Type.Union([Type.String(), Type.Null()])
const Id = Type.String({ format: 'uuid' })
const Moment = Type.String({ format: 'date-time' })
const id = (description: string) => Type.Optional(Type.Unsafe<string>({ ...Id, description }))
const moment = (description: string) => Type.Optional(Type.Unsafe<string>({ ...Moment, description }))
const text = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }))

/** By what one may search, as fields of a query. */
const filters = {
  action: Type.Optional(
    Type.String({
      pattern: '^[a-z_]+(\\.[a-z_]+)?$',
      maxLength: 100,
      description: 'One kind of entry such as member.suspended, or all of one thing such as member',
    }),
  ),
  actorId: text('Who did it'),
  userId: id('To whom it happened'),
  clientId: text('Through which client it was done'),
  requestId: text('By which request'),
  ipAddress: text('From where'),
  from: moment('At this moment or after it'),
  to: moment('Before this moment'),
  order: Type.Enum(['asc', 'desc'], { default: 'desc', description: 'desc: the newest first' }),
}
const cursor = {
  ...pageQuery,
  after: id('The entry after which to go on, in the order asked for; instead of page'),
}
const inTenant = { tenantId: id('In which tenant') }

export const TenantAuditQuery = Type.Object({ ...cursor, ...filters })
export const AuditQuery = Type.Object({ ...cursor, ...filters, ...inTenant })
export type AuditQuery = Static<typeof AuditQuery>

const format = Type.Enum(['csv', 'jsonl'], {
  description: 'csv: a table; jsonl: one JSON object on each line',
})
export const TenantExportQuery = Type.Object({ format, ...filters })
export const ExportQuery = Type.Object({ format, ...filters, ...inTenant })
export type ExportQuery = Static<typeof ExportQuery>

export const AuditEntry = Type.Object(
  {
    id: Type.String(),
    occurredAt: Moment,
    action: Type.String({ description: 'Such as member.suspended' }),
    actor: Type.Object({
      kind: Type.Enum(['user', 'client', 'system']),
      id: nullable,
      displayName: nullable,
    }),
    clientId: Type.Union([Type.String(), Type.Null()], { description: 'Through which client it was done' }),
    tenantId: Type.Union([Type.String(), Type.Null()], { description: 'In which tenant; null: in none' }),
    userId: Type.Union([Type.String(), Type.Null()], {
      description: 'To whom it happened; of who is INVITED, the userId that the members of the tenant show',
    }),
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
export type AuditEntry = Static<typeof AuditEntry>

export const AuditPage = Type.Object(
  {
    entries: Type.Array(AuditEntry, { description: 'The newest first, unless asked otherwise' }),
    pagination: CursorPagination,
  },
  { title: 'AuditPage' },
)
export type AuditPage = Static<typeof AuditPage>

export function toEntryBody({ personal, ...entry }: FoundEntry): AuditEntry {
  // What told who somebody was may have been taken out since.
  const known = (field: string) => (typeof personal[field] === 'string' ? personal[field] : null)
  const { email, ...names } = entry
  return {
    id: entry.id,
    occurredAt: entry.occurred_at.toISOString(),
    action: entry.action,
    actor: {
      kind: entry.actor_kind,
      id: entry.actor_id,
      displayName: email === null ? null : displayNameOf({ ...names, email }),
    },
    clientId: entry.client_id,
    tenantId: entry.tenant_id,
    userId: entry.user_id,
    email: known('email'),
    ipAddress: known('ipAddress'),
    userAgent: known('userAgent'),
    requestId: entry.request_id,
    details: entry.details,
  }
}
