import { toAuditSource } from '../audit/record.ts'
import { BrandingBody, UpdateBrandingRequest } from '../branding/branding-body.ts'
import { getBranding, removeBranding, setBranding } from '../branding/service.ts'
import { defineRoute } from '../http/routing/define-route.ts'
import { ActionResult } from '../http/routing/schema.ts'
import { PERMISSIONS } from './permissions.ts'
import { ByTenant } from './schema.ts'

const common = {
  tag: 'Tenants',
  caller: 'member',
  path: '/api/tenants/:id/branding',
  params: ByTenant,
} as const

export const tenantBrandingRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    operationId: 'getTenantBranding',
    summary: 'Shows how the hosted pages look for a tenant',
    roles: PERMISSIONS.readBranding.roles,
    reply: { 200: BrandingBody },
    handler: (_ctx, { tx, caller }) => getBranding(tx, { tenantId: caller.tenantId }),
  }),
  defineRoute({
    ...common,
    method: 'PUT',
    operationId: 'setTenantBranding',
    summary: 'Replaces how the hosted pages look for a tenant; a logo that is left out is kept',
    roles: PERMISSIONS.changeBranding.roles,
    body: UpdateBrandingRequest,
    reply: { 200: BrandingBody },
    handler: (ctx, { tx, caller, body: input, request }) => {
      const { tenantId } = caller
      return setBranding(ctx, tx, { owner: { tenantId }, input, source: toAuditSource(caller, request) })
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    operationId: 'deleteTenantBranding',
    summary: 'Removes the branding of a tenant; its hosted pages look like those of the application',
    roles: PERMISSIONS.changeBranding.roles,
    reply: { 200: ActionResult },
    handler: async (ctx, { tx, caller, request }) => {
      const { tenantId } = caller
      await removeBranding(ctx, tx, { owner: { tenantId }, source: toAuditSource(caller, request) })
      return { success: true, message: 'Branding removed' }
    },
  }),
]
