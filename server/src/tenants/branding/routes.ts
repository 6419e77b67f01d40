import { sourceOf } from '../../audit/record.ts'
import { BrandingBody, BrandingRequest } from '../../branding/branding-body.ts'
import { brand, showBranding, unbrand } from '../../branding/service.ts'
import { defineRoute } from '../../http/define-route.ts'
import { Done } from '../../http/schema.ts'
import { PERMISSIONS } from '../permissions.ts'
import { ByTenant } from '../schema.ts'

const common = {
  tag: 'Tenants',
  caller: 'member',
  path: '/api/tenants/:id/branding',
  params: ByTenant,
} as const

/** How the hosted pages look for whoever is on the way into a tenant. */
export const tenantBrandingRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    summary: 'Shows how the hosted pages look for a tenant',
    roles: PERMISSIONS.readBranding.roles,
    reply: { 200: BrandingBody },
    handler: (_ctx, { tx, caller }) => showBranding(tx, { tenantId: caller.tenantId }),
  }),
  defineRoute({
    ...common,
    method: 'PUT',
    summary: 'Replaces how the hosted pages look for a tenant; a logo that is left out stays',
    roles: PERMISSIONS.changeBranding.roles,
    body: BrandingRequest,
    reply: { 200: BrandingBody },
    handler: (ctx, { tx, caller, body: wish, request }) => {
      const { tenantId } = caller
      return brand(ctx, tx, { owner: { tenantId }, wish, source: sourceOf(caller, request) })
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    summary: 'Leaves the hosted pages of a tenant as those of the application',
    roles: PERMISSIONS.changeBranding.roles,
    reply: { 200: Done },
    handler: async (ctx, { tx, caller, request }) => {
      const { tenantId } = caller
      await unbrand(ctx, tx, { owner: { tenantId }, source: sourceOf(caller, request) })
      return { success: true, message: 'Branding removed' }
    },
  }),
]
