import { AuditPage, TenantAuditQuery, TenantExportQuery } from '../../audit/entry-body.ts'
import { EXPORT_TYPES, openExport } from '../../audit/export.ts'
import { pageOfEntries } from '../../audit/search.ts'
import { defineRoute } from '../../http/define-route.ts'
import { textStream } from '../../http/schema.ts'
import { PERMISSIONS } from '../permissions.ts'
import { ByTenant } from '../schema.ts'
import { inTenant } from '../wall.ts'

const { roles } = PERMISSIONS.readAudit
const common = { tag: 'Tenants', caller: 'member', roles, params: ByTenant } as const

export const auditLogRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/tenants/:id/audit',
    summary: 'Lists what happened in a tenant: who did what, when, from where',
    query: TenantAuditQuery,
    reply: { 200: AuditPage },
    handler: (_ctx, { tx, caller, query }) => pageOfEntries(tx, { ...query, tenantId: caller.tenantId }),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/tenants/:id/audit/export',
    summary: 'What happened in a tenant, as a file; that it was fetched is written down too',
    query: TenantExportQuery,
    reply: { 200: textStream('The entries, one on each line') },
    streams: Object.values(EXPORT_TYPES),
    admission: 'audit_exports',
    leavesTrace: true,
    handler: (ctx, { tx, caller, query, request, reply }) => {
      const { tenantId } = caller
      return openExport(ctx, tx, {
        ...{ caller, request, reply },
        query: { ...query, tenantId },
        // Behind the wall each time anew: whoever may not read it any more gets no further.
        readOn: (work) => inTenant(ctx, caller, { tenantId, roles, readOnly: true }, work),
      })
    },
  }),
]
