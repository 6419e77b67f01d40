import { inSnapshot } from '../db/snapshot.ts'
import { defineRoute } from '../http/routing/define-route.ts'
import { textStream } from '../http/routing/schema.ts'
import { AuditPage, AuditQuery, ExportQuery } from './entry-body.ts'
import { EXPORT_TYPES, openExport } from './export.ts'
import { searchAuditLog } from './search.ts'

const common = { tag: 'Administration', caller: 'administrator' } as const

export const auditRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/audit',
    operationId: 'listAuditEvents',
    summary: 'Searches the audit log',
    query: AuditQuery,
    reply: { 200: AuditPage },
    handler: (ctx, { query }) => inSnapshot(ctx.db, (tx) => searchAuditLog(tx, query)),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/audit/export',
    operationId: 'exportAuditEvents',
    summary: 'Exports the audit log as a file; the export itself is recorded',
    query: ExportQuery,
    reply: { 200: textStream('The entries, one on each line') },
    streams: Object.values(EXPORT_TYPES),
    admission: 'audit_exports',
    handler: (ctx, input) =>
      ctx.db.transaction().execute((tx) => openExport(ctx, tx, { ...input, queryLater: (work) => work(ctx.db) })),
  }),
]
