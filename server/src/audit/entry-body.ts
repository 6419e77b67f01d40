import { type Static, Type } from 'typebox'
import { CursorPagination, pageQuery } from '../http/routing/pagination.ts'
import { Timestamp } from '../http/routing/schema.ts'
import { toDisplayName } from '../lib/display-name.ts'
import type { FoundEntry } from './search-store.ts'

const nullable = Type.Union([Type.String(), Type.Null()])
const Id = Type.String({ format: 'uuid' })
const id = (description: string) => Type.Optional(Type.Unsafe<string>({ ...Id, description }))
const timestamp = (description: string) => Type.Optional(Type.Unsafe<string>({ ...Timestamp, description }))
const text = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }))

/** The filters of a search, as query parameters. */
const filters = {
  action: Type.Optional(
    Type.String({
      pattern: '^[a-z_]+(\\.[a-z_]+)?$',
      maxLength: 100,
      description: 'One action such as member.suspended, or all actions of one resource such as member',
    }),
  ),
  actorId: text('The user or client that performed the action'),
  userId: id('The affected user'),
  clientId: text('The OAuth client of the request'),
  requestId: text('The request id'),
  ipAddress: text('The IP address of the request'),
  from: timestamp('At or after this time'),
  to: timestamp('Before this time'),
  order: Type.Enum(['asc', 'desc'], { default: 'desc', description: 'desc: the newest first' }),
}
const cursor = {
  ...pageQuery,
  after: id('The id of the last entry of the previous page, in the requested order; instead of page'),
}
const inTenant = { tenantId: id('The tenant') }

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
    occurredAt: Timestamp,
    action: Type.String({ description: 'Such as member.suspended' }),
    actor: Type.Object({
      kind: Type.Enum(['user', 'client', 'system']),
      id: nullable,
      displayName: nullable,
    }),
    clientId: Type.Union([Type.String(), Type.Null()], { description: 'The OAuth client of the request' }),
    tenantId: Type.Union([Type.String(), Type.Null()], { description: 'The tenant; null: none' }),
    userId: Type.Union([Type.String(), Type.Null()], {
      description: 'The affected user; for an INVITED member, the userId in the member list of the tenant',
    }),
    email: Type.Union([Type.String(), Type.Null()], {
      description: 'The affected email address at that time',
    }),
    ipAddress: nullable,
    userAgent: nullable,
    requestId: nullable,
    details: Type.Object(
      {},
      { additionalProperties: true, description: 'Further data such as the state before and after' },
    ),
  },
  { title: 'AuditEntry' },
)
export type AuditEntry = Static<typeof AuditEntry>

export const AuditPage = Type.Object(
  {
    entries: Type.Array(AuditEntry, { description: 'Newest first by default' }),
    pagination: CursorPagination,
  },
  { title: 'AuditPage' },
)
export type AuditPage = Static<typeof AuditPage>

export function toEntryBody({ personal, ...entry }: FoundEntry): AuditEntry {
  // Personal data may have been erased.
  const personalField = (field: string) => (typeof personal[field] === 'string' ? personal[field] : null)
  const { email, ...names } = entry
  return {
    id: entry.id,
    occurredAt: entry.occurred_at.toISOString(),
    action: entry.action,
    actor: {
      kind: entry.actor_kind,
      id: entry.actor_id,
      displayName: email === null ? null : toDisplayName({ ...names, email }),
    },
    clientId: entry.client_id,
    tenantId: entry.tenant_id,
    userId: entry.user_id,
    email: personalField('email'),
    ipAddress: personalField('ipAddress'),
    userAgent: personalField('userAgent'),
    requestId: entry.request_id,
    details: entry.details,
  }
}
