import { defineRoute } from '../../http/define-route.ts'
import { CreatedAdministeredTenant, NewAdministeredTenant } from './schema.ts'
import { createFor } from './service.ts'

/** A tenant that an operator makes may begin with an invitation, so that its door stands here. */
export const newTenantRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/admin/tenants',
    tag: 'Administration',
    summary: 'Makes a tenant, for an owner who is here or is invited, or for nobody yet',
    caller: 'administrator',
    body: NewAdministeredTenant,
    reply: { 201: CreatedAdministeredTenant },
    errors: ['SLUG_TAKEN', 'USER_NOT_FOUND', 'RATE_LIMITED'],
    idempotent: true,
    handler: (ctx, { caller, body, request }) => createFor(ctx, { caller, body, request }),
  }),
]
