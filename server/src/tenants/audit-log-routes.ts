import { AuditPage, TenantAuditQuery, TenantExportQuery } from '../audit/entry-body.ts'
import { EXPORT_TYPES, openExport } from '../audit/export.ts'
import { searchAuditLog } from '../audit/search.ts'
import { defineRoute } from '../http/routing/define-route.ts'
import { textStream } from '../http/routing/schema.ts'
import { PERMISSIONS } from './permissions.ts'
import { ByTenant } from './schema.ts'
import { withTenant } from './tenant-scope.ts'

const { roles } = PERMISSIONS.readAudit
const common = { tag: 'Tenants', caller: 'member', roles, params: ByTenant } as const

export const auditLogRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/tenants/:id/audit',
    operationId: 'listTenantAuditEvents',
    summary: 'Lists the audit log of a tenant',
    query: TenantAuditQuery,
    reply: { 200: AuditPage },
    handler: (_ctx, { tx, caller, query }) => searchAuditLog(tx, { ...query, tenantId: caller.tenantId }),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/tenants/:id/audit/export',
    operationId: 'exportTenantAuditEvents',
    summary: 'Exports the audit log of a tenant as a file; the export itself is recorded too',
    query: TenantExportQuery,
    reply: { 200: textStream('The entries, one per line') },
    streams: Object.values(EXPORT_TYPES),
    admission: 'audit_exports',
    writes: true,
    handler: (ctx, { tx, caller, query, request, reply }) => {
      const { tenantId } = caller
      return openExport(ctx, tx, {
        caller,
        request,
        reply,
        query: { ...query, tenantId },
        // Each chunk enters the tenant scope again, so that the export stops when the caller loses access.
        queryLater: (work) => withTenant(ctx, caller, { tenantId, roles, readOnly: true }, work),
      })
    },
  }),
]
