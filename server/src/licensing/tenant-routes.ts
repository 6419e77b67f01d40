import { defineRoute } from '../http/define-route.ts'
import { PERMISSIONS } from '../tenants/permissions.ts'
import { holdingsOf } from './holdings/service.ts'
import { pageOfRoster } from './roster/service.ts'
import {
  ByTenant,
  ByTenantAndApplication,
  LicenseUsage,
  RosterPage,
  RosterQuery,
  TenantLicenses,
  UsageQuery,
} from './tenant-schema.ts'
import { usageOf } from './usage/service.ts'

/** What the members of a tenant may see of its licences. */

const AT = '/api/tenants/:id/licenses'
const common = { tag: 'Tenants', caller: 'member', roles: PERMISSIONS.readLicenses.roles } as const

export const tenantLicensesRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: AT,
    summary: 'Lists the applications that a tenant may use, and what it has bought of each',
    params: ByTenant,
    reply: { 200: TenantLicenses },
    handler: async (ctx, { tx, caller }) => ({ applications: await holdingsOf(ctx, tx, caller.tenantId) }),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: `${AT}/:applicationId/seats`,
    summary: 'Lists the members of a tenant, with the licence that each holds',
    params: ByTenantAndApplication,
    query: RosterQuery,
    reply: { 200: RosterPage },
    errors: ['INVALID_APPLICATION_ID'],
    handler: (ctx, { tx, caller, params: { applicationId }, query }) =>
      pageOfRoster(ctx, tx, { tenantId: caller.tenantId, applicationId, query }),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: `${AT}/:applicationId/usage`,
    summary: 'Shows how many seats a tenant had, and how many were held, day by day',
    params: ByTenantAndApplication,
    query: UsageQuery,
    reply: { 200: LicenseUsage },
    errors: ['INVALID_APPLICATION_ID'],
    handler: async (ctx, { tx, caller, params: { applicationId }, query: { days } }) => ({
      days: await usageOf(ctx, tx, { tenantId: caller.tenantId, applicationId, days }),
    }),
  }),
]
