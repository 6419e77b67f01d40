import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { createLimiter } from '../db/limiter.ts'
import type { Db } from '../db/open.ts'
import { tooManyAttempts } from '../errors.ts'
import { type Caller, callerName } from '../http/callers.ts'
import { toCsvLine } from '../lib/csv.ts'
import { type AuditEntry, type ExportQuery, toEntryBody } from './entry-body.ts'
import { actorOf, record } from './record.ts'
import { listEntries } from './search/store.ts'
import { toFilter } from './search.ts'

/**
 * The log as a file. It is read a part at a time, each by a query of its own that goes on after the last entry: so it
 * takes the same little room however long it is, and nothing stays open when whoever fetches it is slow or goes away.
 * What happens after it was asked for is not in it.
 */

const BATCH = 500
/** It may be long, and every one reads it anew. */
const LIMIT = { name: 'audit-export', most: 60, seconds: 3_600 }

export const EXPORT_TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson' } as const

export interface Export {
  caller: Caller
  request: FastifyRequest
  reply: FastifyReply
  query: ExportQuery
  /** Reads on, once the transaction in which it was asked for is over. */
  readOn<T>(work: (db: Db) => Promise<T>): Promise<T>
}

export async function openExport(ctx: Ctx, tx: Db, { readOn, ...asked }: Export): Promise<Readable> {
  const { caller, reply, query } = asked
  const wait = await createLimiter(tx, LIMIT).count(callerName(caller))
  if (wait !== undefined) throw tooManyAttempts(wait)
  const { format, order } = query
  const now = ctx.now()
  const filter = { ...toFilter(query), asOf: now }
  const list = (db: Db, after?: string) => listEntries(db, filter, { order, after, limit: BATCH })
  const first = await list(tx)
  await note(ctx, tx, asked)
  const name = `latchkey-audit-${now.toISOString().replace(/[-:]|\.\d+/g, '')}.${format}`
  reply
    .header('Content-Type', EXPORT_TYPES[format])
    .header('Content-Disposition', `attachment; filename="${name}"`)
  return Readable.from(write(format, first, (after) => readOn((db) => list(db, after))))
}

async function note(
  ctx: Ctx,
  tx: Db,
  { caller, request, query }: Pick<Export, 'caller' | 'request' | 'query'>,
): Promise<void> {
  const { format, order, ipAddress, tenantId, ...filters } = query
  await record(ctx, tx, {
    ...{ action: 'audit.exported', actor: actorOf(caller), request },
    ...(tenantId !== undefined && { tenantId }),
    details: { format, order, filters },
    personal: ipAddress === undefined ? {} : { soughtIpAddress: ipAddress },
  })
}

type Found = Awaited<ReturnType<typeof listEntries>>

async function* write(
  format: ExportQuery['format'],
  first: Found,
  readAfter: (id: string) => Promise<Found>,
): AsyncGenerator<string> {
  if (format === 'csv') yield toCsvLine(COLUMNS.map(([name]) => name))
  const toLine = format === 'csv' ? toRow : (entry: AuditEntry) => `${JSON.stringify(entry)}\n`
  let found = first
  for (;;) {
    if (found.length > 0) yield found.map((entry) => toLine(toEntryBody(entry))).join('')
    const last = found.at(-1)
    if (!last || found.length < BATCH) return
    found = await readAfter(last.id)
  }
}

const COLUMNS: [name: string, of: (entry: AuditEntry) => string | null][] = [
  ['id', ({ id }) => id],
  ['occurredAt', ({ occurredAt }) => occurredAt],
  ['action', ({ action }) => action],
  ['actorKind', ({ actor }) => actor.kind],
  ['actorId', ({ actor }) => actor.id],
  ['actorDisplayName', ({ actor }) => actor.displayName],
  ['clientId', ({ clientId }) => clientId],
  ['tenantId', ({ tenantId }) => tenantId],
  ['userId', ({ userId }) => userId],
  ['email', ({ email }) => email],
  ['ipAddress', ({ ipAddress }) => ipAddress],
  ['userAgent', ({ userAgent }) => userAgent],
  ['requestId', ({ requestId }) => requestId],
  ['details', ({ details }) => JSON.stringify(details)],
]

const toRow = (entry: AuditEntry): string => toCsvLine(COLUMNS.map(([, of]) => of(entry)))
