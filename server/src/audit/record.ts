import type { FastifyRequest } from 'fastify'
import type { RawBuilder } from 'kysely'
import type { Ctx } from '../context.ts'
import type { Db } from '../db/open.ts'
import type { ActorKind } from '../db/tables.ts'
import type { Caller } from '../http/callers.ts'
import { clientAddress, clientProgram } from '../http/client-address.ts'
import { newIdAt } from '../lib/ids.ts'
import type { Action } from './catalogue.ts'
import { requireFit } from './fit.ts'
import { insertAndAsk, insertEntries, insertSome, type NewEntry } from './store.ts'

export type { Action }

export interface Actor {
  kind: ActorKind
  id: string | undefined
}

export const SYSTEM: Actor = { kind: 'system', id: undefined }
export const person = (id: string): Actor => ({ kind: 'user', id })

/** Whoever came through a door. */
export const actorOf = (caller: Caller): Actor =>
  caller.kind === 'person' ? person(caller.userId) : { kind: 'client', id: caller.clientId }

export interface Entry {
  action: Action
  actor: Actor
  /** The person it happened to. */
  userId?: string
  tenantId?: string
  /** Through which client, where the request itself does not tell. */
  clientId?: string | undefined
  /** The request that did it; none for work of our own. */
  request?: FastifyRequest | undefined
  /** What names nobody, and no secret: it is kept for good. */
  details?: Record<string, unknown>
  /** What tells who somebody is, such as an address. */
  personal?: Record<string, unknown>
}

/** Who does it, and by which request. */
export type Source = Pick<Entry, 'actor' | 'request'>

/** Whoever runs the service does it: by a command, or by a declaration. */
export const OPERATOR: Source = { actor: SYSTEM }

/** Whoever came through a door does it. */
export const sourceOf = (caller: Caller, request: FastifyRequest) => ({ actor: actorOf(caller), request })

/** Writes down what happens, in the transaction that does it. */
export async function record(ctx: Ctx, tx: Db, entry: Entry): Promise<void> {
  await recordMany(ctx, tx, [entry])
}

/** The same for many things at once, in one statement. */
export async function recordMany(ctx: Ctx, tx: Db, entries: Entry[]): Promise<void> {
  const rows = await toRows(ctx, entries)
  if (rows.length > 0) await insertEntries(tx, rows)
}

/** The same for one, and the answer to a question that needs no statement of its own then: what its first row says. */
export async function recordAndAsk<T>(
  ctx: Ctx,
  tx: Db,
  { question, ...entry }: Entry & { question: RawBuilder<T> },
): Promise<T | undefined> {
  return insertAndAsk(tx, await toRows(ctx, [entry]), question)
}

/** Part of a statement: writes down those of some things that happened, and what more is known of them by then. */
export type Noting = (happened: RawBuilder<{ place: number; details: unknown }>) => RawBuilder<unknown>

/**
 * For a statement that finds out itself which of these things happen: it is told by their places, from 1 on, and adds to
 * their details.
 */
export async function prepareNoting(ctx: Ctx, entries: Entry[]): Promise<Noting> {
  const rows = await toRows(ctx, entries)
  return (happened) => insertSome(rows, happened)
}

async function toRows(ctx: Ctx, entries: Entry[]): Promise<NewEntry[]> {
  if (ctx.strict) for (const entry of entries) await requireFit(entry)
  return entries.map((entry) => toRow(ctx, entry))
}

function toRow(ctx: Ctx, entry: Entry): NewEntry {
  const { action, actor, userId, tenantId, clientId, request, details = {}, personal = {} } = entry
  const now = ctx.now()
  return {
    id: newIdAt(now),
    occurred_at: now,
    action,
    actor_kind: actor.kind,
    actor_id: actor.id ?? null,
    client_id: clientId ?? request?.caller?.clientId ?? null,
    user_id: userId ?? null,
    tenant_id: tenantId ?? null,
    request_id: request?.id ?? null,
    details: JSON.stringify(details),
    personal: JSON.stringify({ ...(request && whence(request)), ...personal }),
  }
}

const whence = (request: FastifyRequest) => ({
  ipAddress: clientAddress(request),
  userAgent: clientProgram(request),
})
