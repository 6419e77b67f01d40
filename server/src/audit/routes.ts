import { startReading } from '../db/reading.ts'
import { defineRoute } from '../http/define-route.ts'
import { textStream } from '../http/schema.ts'
import { AuditPage, AuditQuery, ExportQuery } from './entry-body.ts'
import { EXPORT_TYPES, openExport } from './export.ts'
import { pageOfEntries } from './search.ts'

const common = { tag: 'Administration', caller: 'administrator' } as const

export const auditRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/audit',
    summary: 'Lists what happened: who did what, when, from where',
    query: AuditQuery,
    reply: { 200: AuditPage },
    handler: (ctx, { query }) => startReading(ctx.db, (tx) => pageOfEntries(tx, query)),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/audit/export',
    summary: 'What happened, as a file; that it was fetched is written down too',
    query: ExportQuery,
    reply: { 200: textStream('The entries, one on each line') },
    streams: Object.values(EXPORT_TYPES),
    admission: 'audit_exports',
    handler: (ctx, exported) =>
      ctx.db
        .transaction()
        .execute((tx) => openExport(ctx, tx, { ...exported, readOn: (work) => work(ctx.db) })),
  }),
]
