import { defineRoute } from '../../http/define-route.ts'
import { PERMISSIONS } from '../permissions.ts'
import { ByTenant } from '../schema.ts'
import { AuditPage, AuditQuery } from './schema.ts'
import { pageOfEntries } from './service.ts'

export const auditLogRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/tenants/:id/audit',
    tag: 'Tenants',
    summary: 'Lists what happened in a tenant: who did what, when, from where',
    caller: 'member',
    roles: PERMISSIONS.readAudit.roles,
    params: ByTenant,
    query: AuditQuery,
    reply: { 200: AuditPage },
    handler: (_ctx, { tx, caller, query }) => pageOfEntries(tx, { tenantId: caller.tenantId, query }),
  }),
]
