import { defineRoute } from '../http/routing/define-route.ts'
import { PERMISSIONS } from '../tenants/permissions.ts'
import { listLicensedApplications } from './holdings/service.ts'
import { getRosterPage } from './roster/service.ts'
import {
  ByTenant,
  ByTenantAndApplication,
  LicenseUsage,
  RosterPage,
  RosterQuery,
  TenantLicenses,
  UsageQuery,
} from './tenant-schema.ts'
import { listDailyUsage } from './usage/service.ts'

/** The licenses of a tenant, for its members. */

const BASE_PATH = '/api/tenants/:id/licenses'
const common = { tag: 'Tenants', caller: 'member', roles: PERMISSIONS.readLicenses.roles } as const

export const tenantLicensesRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: BASE_PATH,
    operationId: 'listTenantLicenses',
    summary: 'Lists the applications that a tenant may use, with its subscriptions to each',
    params: ByTenant,
    reply: { 200: TenantLicenses },
    handler: async (ctx, { tx, caller }) => ({
      applications: await listLicensedApplications(ctx, tx, caller.tenantId),
    }),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: `${BASE_PATH}/:applicationId/seats`,
    operationId: 'listSeats',
    summary: 'Lists the members of a tenant, with the license that each holds',
    params: ByTenantAndApplication,
    query: RosterQuery,
    reply: { 200: RosterPage },
    errors: ['INVALID_APPLICATION_ID'],
    handler: (ctx, { tx, caller, params: { applicationId }, query }) =>
      getRosterPage(ctx, tx, { tenantId: caller.tenantId, applicationId, query }),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: `${BASE_PATH}/:applicationId/usage`,
    operationId: 'getLicenseUsage',
    summary: 'Lists the purchased and assigned seats of a tenant, day by day',
    params: ByTenantAndApplication,
    query: UsageQuery,
    reply: { 200: LicenseUsage },
    errors: ['INVALID_APPLICATION_ID'],
    handler: async (ctx, { tx, caller, params: { applicationId }, query: { days } }) => ({
      days: await listDailyUsage(ctx, tx, { tenantId: caller.tenantId, applicationId, days }),
    }),
  }),
]
