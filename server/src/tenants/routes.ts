import { person } from '../audit/record.ts'
import { AppError } from '../errors.ts'
import { defineRoute } from '../http/define-route.ts'
import { Done } from '../http/schema.ts'
import { refuseNothing } from '../lib/problems.ts'
import { auditLogRoutes } from './audit-log/routes.ts'
import { tenantBrandingRoutes } from './branding/routes.ts'
import { memberRoutes } from './members/routes.ts'
import { found } from './own-tenants.ts'
import { PERMISSIONS } from './permissions.ts'
import {
  ByTenant,
  ChangedTenant,
  CreatedTenant,
  NewTenantRequest,
  OwnTenants,
  TenantBody,
  TenantChangeRequest,
} from './schema.ts'
import { changeTenant, removeTenant } from './service.ts'
import { findTenantWithCount, listTenantsOf } from './store.ts'

const tag = 'Tenants'

export const tenantsRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/tenants',
    tag,
    summary: 'Lists the tenants of which one is an active member',
    caller: 'person',
    reply: { 200: OwnTenants },
    handler: async (ctx, { caller }) => {
      const tenants = await listTenantsOf(ctx.db, caller.userId)
      return {
        tenants: tenants.map(({ created_at, member_count, suspended_at, ...tenant }) => ({
          ...tenant,
          memberCount: member_count,
          ...(suspended_at && { suspended: true }),
          createdAt: created_at.toISOString(),
        })),
      }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/tenants',
    tag,
    summary: 'Founds a tenant; the caller becomes its owner',
    caller: 'person',
    body: NewTenantRequest,
    reply: { 201: CreatedTenant },
    errors: ['SLUG_TAKEN', 'RATE_LIMITED'],
    idempotent: true,
    handler: async (ctx, { caller, body, request }) => {
      const { id, name, slug, created_at } = await found(ctx, body, { userId: caller.userId, request })
      return { id, name, slug, createdAt: created_at.toISOString() }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/tenants/:id',
    tag,
    summary: 'Shows a tenant',
    caller: 'member',
    roles: PERMISSIONS.readTenant.roles,
    params: ByTenant,
    reply: { 200: TenantBody },
    handler: async (_ctx, { tx, caller }) => {
      const tenant = await findTenantWithCount(tx, caller.tenantId)
      if (!tenant) throw new AppError('TENANT_NOT_FOUND')
      const { id, name, slug, settings, mfa_policy, member_count, created_at, updated_at } = tenant
      return {
        ...{ id, name, slug, settings, mfaPolicy: mfa_policy, memberCount: member_count },
        createdAt: created_at.toISOString(),
        updatedAt: updated_at.toISOString(),
      }
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/tenants/:id',
    tag,
    summary: 'Changes the name, the settings or the MFA policy of a tenant',
    caller: 'member',
    roles: PERMISSIONS.changeTenant.roles,
    params: ByTenant,
    body: TenantChangeRequest,
    reply: { 200: ChangedTenant },
    handler: async (ctx, { tx, caller, body, request }) => {
      refuseNothing(body)
      const source = { actor: person(caller.userId), request }
      const tenant = await changeTenant(ctx, tx, {
        id: caller.tenantId,
        change: body,
        source,
        setter: caller,
      })
      const { id, name, slug, settings, mfa_policy, updated_at } = tenant
      return { id, name, slug, settings, mfaPolicy: mfa_policy, updatedAt: updated_at.toISOString() }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/tenants/:id',
    tag,
    summary: 'Deletes a tenant with everything that is its own',
    caller: 'member',
    roles: PERMISSIONS.deleteTenant.roles,
    params: ByTenant,
    reply: { 200: Done },
    handler: async (ctx, { tx, caller, request }) => {
      await removeTenant(ctx, tx, { id: caller.tenantId, source: { actor: person(caller.userId), request } })
      return { success: true, message: 'Tenant deleted' }
    },
  }),
  ...tenantBrandingRoutes,
  ...memberRoutes,
  ...auditLogRoutes,
]
