import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { countAgainstLimit } from '../db/limiter.ts'
import type { Db } from '../db/open.ts'
import { type Caller, callerKey } from '../http/routing/callers.ts'
import { toCsvLine } from './csv.ts'
import { type AuditEntry, type ExportQuery, toEntryBody } from './entry-body.ts'
import { recordAuditEvent, toActor } from './record.ts'
import { toFilter } from './search.ts'
import { listEntries } from './search-store.ts'

/**
 * Exports the audit log as a file. Batches are read by separate queries that continue after the last entry, so that
 * memory use is constant and a slow or aborted download holds no transaction open. Entries that are written after the
 * request are not included.
 */

const BATCH = 500
/** An export may read the whole log. */
const LIMIT = { name: 'audit-export', max: 60, seconds: 3_600 }

export const EXPORT_TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson' } as const

export interface ExportOptions {
  caller: Caller
  request: FastifyRequest
  reply: FastifyReply
  query: ExportQuery
  /** Runs a query after the transaction of the request has ended. */
  queryLater<T>(work: (db: Db) => Promise<T>): Promise<T>
}

export async function openExport(ctx: Ctx, tx: Db, { queryLater, ...options }: ExportOptions): Promise<Readable> {
  const { caller, reply, query } = options
  await countAgainstLimit(tx, LIMIT, callerKey(caller))
  const { format, order } = query
  const now = ctx.now()
  const filter = { ...toFilter(query), asOf: now }
  const list = (db: Db, after?: string) => listEntries(db, filter, { order, after, limit: BATCH })
  const first = await list(tx)
  await recordExport(ctx, tx, options)
  const name = `latchkey-audit-${now.toISOString().replace(/[-:]|\.\d+/g, '')}.${format}`
  reply.header('Content-Type', EXPORT_TYPES[format]).header('Content-Disposition', `attachment; filename="${name}"`)
  return Readable.from(writeLines(format, first, (after) => queryLater((db) => list(db, after))))
}

async function recordExport(
  ctx: Ctx,
  tx: Db,
  { caller, request, query }: Pick<ExportOptions, 'caller' | 'request' | 'query'>,
): Promise<void> {
  const { format, order, ipAddress, tenantId, ...filters } = query
  await recordAuditEvent(ctx, tx, {
    action: 'audit.exported',
    actor: toActor(caller),
    request,
    ...(tenantId !== undefined && { tenantId }),
    details: { format, order, filters },
    personal: ipAddress === undefined ? {} : { soughtIpAddress: ipAddress },
  })
}

type Batch = Awaited<ReturnType<typeof listEntries>>

async function* writeLines(
  format: ExportQuery['format'],
  first: Batch,
  readAfter: (id: string) => Promise<Batch>,
): AsyncGenerator<string> {
  if (format === 'csv') yield toCsvLine(COLUMNS.map(([name]) => name))
  const toLine = format === 'csv' ? toCsvRow : (entry: AuditEntry) => `${JSON.stringify(entry)}\n`
  let batch = first
  for (;;) {
    if (batch.length > 0) yield batch.map((entry) => toLine(toEntryBody(entry))).join('')
    const last = batch.at(-1)
    if (!last || batch.length < BATCH) return
    batch = await readAfter(last.id)
  }
}

const COLUMNS: [name: string, getValue: (entry: AuditEntry) => string | null][] = [
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

const toCsvRow = (entry: AuditEntry): string => toCsvLine(COLUMNS.map(([, getValue]) => getValue(entry)))
