import { userActor } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { actingError, type Member } from '../http/routing/callers.ts'
import { defineRoute } from '../http/routing/define-route.ts'
import { ActionResult } from '../http/routing/schema.ts'
import { t } from '../languages/translate.ts'
import { requireAnyField } from '../lib/field-validation.ts'
import { auditLogRoutes } from './audit-log-routes.ts'
import { tenantBrandingRoutes } from './branding-routes.ts'
import { foundTenant } from './found-tenant.ts'
import { memberRoutes } from './members/routes.ts'
import { PERMISSIONS } from './permissions.ts'
import {
  ByTenant,
  CreatedTenant,
  CreateTenantRequest,
  OwnTenants,
  TenantBody,
  UpdatedTenant,
  UpdateTenantRequest,
} from './schema.ts'
import { changeTenant, removeTenant } from './service.ts'
import { findTenantWithCount, listTenantsOf } from './store.ts'

const tag = 'Tenants'

/** An instance without the feature does not mention it. */
const toSupportSetting = ({ config }: Ctx, tenant: { support_access: boolean }) =>
  config.supportAccess ? { supportAccess: tenant.support_access } : {}

/** A tenant without a default language does not mention it. */
const toLanguageSetting = ({ language }: { language: string | null }) => (language === null ? {} : { language })

/** Whoever acts as a member must not allow it to themselves for longer. */
function requireSupportSetting({ config }: Ctx, caller: Member): void {
  if (!config.supportAccess) {
    throw new AppError('SUPPORT_ACCESS_OFF', { message: t('Support access is turned off on this instance.') })
  }
  if (caller.support) throw actingError()
}

export const tenantsRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/tenants',
    operationId: 'listMyTenants',
    tag,
    summary: 'Lists the tenants that the caller is an active member of',
    caller: 'person',
    crossOrigin: 'registered',
    allowsSupport: true,
    reply: { 200: OwnTenants },
    handler: async (ctx, { caller }) => {
      const { userId, support } = caller
      const all = await listTenantsOf(ctx.db, userId)
      const tenants = support ? all.filter(({ id }) => id === support.tenantId) : all
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
    operationId: 'createTenant',
    tag,
    summary: 'Creates a tenant; the caller becomes its owner',
    caller: 'person',
    body: CreateTenantRequest,
    reply: { 201: CreatedTenant },
    errors: ['SLUG_TAKEN', 'RATE_LIMITED'],
    idempotent: true,
    handler: async (ctx, { caller, body, request }) => {
      const { id, name, slug, created_at } = await foundTenant(ctx, body, { userId: caller.userId, request })
      return { id, name, slug, createdAt: created_at.toISOString() }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/tenants/:id',
    operationId: 'getTenant',
    tag,
    summary: 'Shows a tenant',
    caller: 'member',
    roles: PERMISSIONS.readTenant.roles,
    params: ByTenant,
    reply: { 200: TenantBody },
    handler: async (ctx, { tx, caller }) => {
      const tenant = await findTenantWithCount(tx, caller.tenantId)
      if (!tenant) throw new AppError('TENANT_NOT_FOUND')
      const { id, name, slug, settings, mfa_policy, member_count, created_at, updated_at } = tenant
      return {
        id,
        name,
        slug,
        settings,
        mfaPolicy: mfa_policy,
        ...toSupportSetting(ctx, tenant),
        ...toLanguageSetting(tenant),
        memberCount: member_count,
        createdAt: created_at.toISOString(),
        updatedAt: updated_at.toISOString(),
      }
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/tenants/:id',
    operationId: 'updateTenant',
    tag,
    summary: 'Changes the name, the settings, the MFA policy or the default language of a tenant',
    caller: 'member',
    roles: PERMISSIONS.changeTenant.roles,
    params: ByTenant,
    body: UpdateTenantRequest,
    reply: { 200: UpdatedTenant },
    errors: ['SUPPORT_ACCESS_OFF'],
    handler: async (ctx, { tx, caller, body, request }) => {
      requireAnyField(body)
      if (body.supportAccess !== undefined) requireSupportSetting(ctx, caller)
      const source = { actor: userActor(caller.userId), request }
      const tenant = await changeTenant(ctx, tx, {
        id: caller.tenantId,
        change: body,
        source,
        setter: caller,
      })
      const { id, name, slug, settings, mfa_policy, updated_at } = tenant
      const optional = { ...toSupportSetting(ctx, tenant), ...toLanguageSetting(tenant) }
      return { id, name, slug, settings, mfaPolicy: mfa_policy, ...optional, updatedAt: updated_at.toISOString() }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/tenants/:id',
    operationId: 'deleteTenant',
    tag,
    summary: 'Deletes a tenant with all its data',
    caller: 'member',
    roles: PERMISSIONS.deleteTenant.roles,
    allowsSupport: false,
    params: ByTenant,
    reply: { 200: ActionResult },
    handler: async (ctx, { tx, caller, request }) => {
      await removeTenant(ctx, tx, {
        id: caller.tenantId,
        source: { actor: userActor(caller.userId), request },
      })
      return { success: true, message: 'Tenant deleted' }
    },
  }),
  ...tenantBrandingRoutes,
  ...memberRoutes,
  ...auditLogRoutes,
]
