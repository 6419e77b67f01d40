import { sourceOf } from '../audit/record.ts'
import { defineRoute } from '../http/define-route.ts'
import { Done } from '../http/schema.ts'
import { brandApplication, showBrandingOfApplication, unbrandApplication } from './applications.ts'
import { BrandingBody, BrandingRequest } from './branding-body.ts'
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
    summary: 'Shows how the hosted pages look for an application',
    reply: { 200: BrandingBody },
    errors: ['APPLICATION_NOT_FOUND'],
    handler: (ctx, { params }) => showBrandingOfApplication(ctx, params.id),
  }),
  defineRoute({
    ...common,
    method: 'PUT',
    summary: 'Replaces how the hosted pages look for an application; a logo that is left out stays',
    body: BrandingRequest,
    reply: { 200: BrandingBody },
    errors: ['APPLICATION_NOT_FOUND'],
    handler: (ctx, { params, body: wish, caller, request }) =>
      brandApplication(ctx, params.id, { wish, source: sourceOf(caller, request) }),
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    summary: 'Leaves the hosted pages as they are for applications without branding',
    reply: { 200: Done },
    errors: ['APPLICATION_NOT_FOUND'],
    async handler(ctx, { params, caller, request }) {
      await unbrandApplication(ctx, params.id, sourceOf(caller, request))
      return { success: true, message: 'Branding removed' }
    },
  }),
]
