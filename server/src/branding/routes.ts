import { toAuditSource } from '../audit/record.ts'
import { defineRoute } from '../http/routing/define-route.ts'
import { ActionResult } from '../http/routing/schema.ts'
import { getApplicationBranding, removeApplicationBranding, setApplicationBranding } from './applications.ts'
import { BrandingBody, UpdateBrandingRequest } from './branding-body.ts'
import { ByApplication } from './schema.ts'

const common = {
  tag: 'Administration',
  caller: 'administrator',
  path: '/api/admin/applications/:id/branding',
  params: ByApplication,
} as const

export const brandingRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    operationId: 'getApplicationBranding',
    summary: 'Shows how the hosted pages look for an application',
    reply: { 200: BrandingBody },
    errors: ['APPLICATION_NOT_FOUND'],
    handler: (ctx, { params }) => getApplicationBranding(ctx, params.id),
  }),
  defineRoute({
    ...common,
    method: 'PUT',
    operationId: 'setApplicationBranding',
    summary: 'Replaces how the hosted pages look for an application; a logo that is left out is kept',
    body: UpdateBrandingRequest,
    reply: { 200: BrandingBody },
    errors: ['APPLICATION_NOT_FOUND'],
    handler: (ctx, { params, body: input, caller, request }) =>
      setApplicationBranding(ctx, params.id, { input, source: toAuditSource(caller, request) }),
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    operationId: 'deleteApplicationBranding',
    summary: 'Removes the branding of an application; its hosted pages get the default look',
    reply: { 200: ActionResult },
    errors: ['APPLICATION_NOT_FOUND'],
    async handler(ctx, { params, caller, request }) {
      await removeApplicationBranding(ctx, params.id, toAuditSource(caller, request))
      return { success: true, message: 'Branding removed' }
    },
  }),
]
