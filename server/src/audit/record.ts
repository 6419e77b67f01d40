import type { FastifyRequest } from 'fastify'
import type { RawBuilder } from 'kysely'
import type { Ctx } from '../context.ts'
import type { Db } from '../db/open.ts'
import type { ActorKind } from '../db/tables.ts'
import { clientAddress, clientUserAgent } from '../http/request/client-address.ts'
import type { Caller } from '../http/routing/callers.ts'
import { newIdAt } from '../lib/ids.ts'
import type { Action } from './catalog.ts'
import { insertEntries, insertEntriesWithQuery, insertSelectedEntries, type NewEntry } from './store.ts'
import { requireValidDetails } from './validate-details.ts'

export type { Action }

export interface Actor {
  kind: ActorKind
  id: string | undefined
}

export const SYSTEM: Actor = { kind: 'system', id: undefined }
export const userActor = (id: string): Actor => ({ kind: 'user', id })

/** The actor of an authenticated request. */
export const toActor = (caller: Caller): Actor =>
  caller.kind === 'person' ? userActor(caller.userId) : { kind: 'client', id: caller.clientId }

export interface AuditEvent {
  action: Action
  actor: Actor
  /** The affected user. */
  userId?: string
  tenantId?: string
  /** The OAuth client, when the caller of the request does not contain it. */
  clientId?: string | undefined
  /** The request that caused it; undefined for jobs and commands. */
  request?: FastifyRequest | undefined
  /** Data without personal data and secrets. It is never erased. */
  details?: Record<string, unknown>
  /** Personal data such as an address. It is erased with the user. */
  personal?: Record<string, unknown>
}

/** The actor and the request that cause an audit event. */
export type AuditSource = Pick<AuditEvent, 'actor' | 'request'>

/** The source of a command or a declaration. */
export const OPERATOR_SOURCE: AuditSource = { actor: SYSTEM }

/** The source of an authenticated request. */
export const toAuditSource = (caller: Caller, request: FastifyRequest) => ({
  actor: toActor(caller),
  request,
})

/** The operator who acts as the user that the source names. The operator is the actor, and entries say for whom. */
export const operatorOf = ({ actor, request }: AuditSource): string | undefined =>
  actor.kind === 'user' && actor.id !== request?.operatorId ? request?.operatorId : undefined

/** Records an audit event in the transaction of the change. */
export async function recordAuditEvent(ctx: Ctx, tx: Db, entry: AuditEvent): Promise<void> {
  await recordAuditEvents(ctx, tx, [entry])
}

/** Records several audit events in one statement. */
export async function recordAuditEvents(ctx: Ctx, tx: Db, entries: AuditEvent[]): Promise<void> {
  const rows = await toRows(ctx, entries)
  if (rows.length > 0) await insertEntries(tx, rows)
}

/** Records an audit event and runs a query in one statement. Returns the first row of the query. */
export async function recordAuditEventWithQuery<T>(
  ctx: Ctx,
  tx: Db,
  { query, ...entry }: AuditEvent & { query: RawBuilder<T> },
): Promise<T | undefined> {
  return insertEntriesWithQuery(tx, await toRows(ctx, [entry]), query)
}

/** Builds the part of a statement that inserts the prepared entries named by `index`, with additional details. */
export type AuditInsert = (happened: RawBuilder<{ index: number; details: unknown }>) => RawBuilder<unknown>

/**
 * Prepares audit events for a statement that decides itself which of them occur. The statement refers to each by its
 * index, starting at 1, and can add details.
 */
export async function prepareAuditInsert(ctx: Ctx, entries: AuditEvent[]): Promise<AuditInsert> {
  const rows = await toRows(ctx, entries)
  return (happened) => insertSelectedEntries(rows, happened)
}

async function toRows(ctx: Ctx, entries: AuditEvent[]): Promise<NewEntry[]> {
  if (ctx.strict) for (const entry of entries) await requireValidDetails(entry)
  return entries.map((entry) => toRow(ctx, entry))
}

function toRow(ctx: Ctx, entry: AuditEvent): NewEntry {
  const { action, actor, userId, tenantId, clientId, request, details = {}, personal = {} } = entry
  const now = ctx.now()
  const operatorId = operatorOf(entry)
  const recorded = operatorId === undefined ? details : { ...details, onBehalfOf: actor.id }
  return {
    id: newIdAt(now),
    occurred_at: now,
    action,
    actor_kind: actor.kind,
    actor_id: operatorId ?? actor.id ?? null,
    client_id: clientId ?? request?.caller?.clientId ?? null,
    user_id: userId ?? null,
    tenant_id: tenantId ?? null,
    request_id: request?.id ?? null,
    details: JSON.stringify(recorded),
    personal: JSON.stringify({ ...(request && requestOrigin(request)), ...personal }),
  }
}

const requestOrigin = (request: FastifyRequest) => ({
  ipAddress: clientAddress(request),
  userAgent: clientUserAgent(request),
})
