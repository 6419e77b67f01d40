import { Type } from 'typebox'
import { toAuditSource } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import type { Caller } from '../http/routing/callers.ts'
import { defineRoute } from '../http/routing/define-route.ts'
import { t } from '../languages/translate.ts'
import { checkField, throwIfInvalid } from '../lib/field-validation.ts'
import {
  ById,
  ByTenantId,
  CreateLicenseTypeRequest,
  CreateSubscriptionRequest,
  Ledger,
  LedgerQuery,
  LicenseTypeBody,
  Overview,
  SubscriptionBody,
  TypesQuery,
  UpdateLicenseTypeRequest,
  UpdateSubscriptionRequest,
} from './admin-schema.ts'
import { changeLicenseType, createLicenseType, listApplicationLicenseTypes } from './catalog/service.ts'
import type { LicenseType } from './catalog/store.ts'
import { getLedgerPage } from './ledger/service.ts'
import {
  changeSubscription,
  createSubscription,
  getLicenseOverview,
  listTenantSubscriptions,
  toSubscriptionBody,
} from './subscriptions/service.ts'

const reading = { tag: 'Licensing', caller: 'auditor' } as const
const writing = { tag: 'Licensing', caller: 'administrator' } as const

/** A machine that is bound to a tenant may only read that tenant. */
function requireOwnTenant(caller: Caller, tenantId: string): string {
  const bound = caller.kind === 'machine' ? caller.tenantId : undefined
  if (bound !== undefined && bound !== tenantId.toLowerCase()) throw new AppError('FORBIDDEN')
  return tenantId
}

/** The caches of this node reflect the change before the reply is sent. */
async function inTransaction<T>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> {
  const result = await ctx.db.transaction().execute(work)
  await ctx.changes.waitUntilCurrent()
  return result
}

const toLicenseTypeBody = ({ application_id, display_order, created_at, updated_at, ...type }: LicenseType) => ({
  ...type,
  applicationId: application_id,
  displayOrder: display_order,
  createdAt: created_at.toISOString(),
  updatedAt: updated_at.toISOString(),
})

/** Null removes the end; undefined leaves it unchanged. */
function parsePeriodEnd(text: string | null | undefined): Date | null | undefined {
  if (text === null || text === undefined) return text
  const date = new Date(text)
  const year = date.getUTCFullYear()
  // The offset may move the time into another year, so the year is checked in UTC.
  throwIfInvalid([
    checkField(year >= 1 && year <= 9999, 'currentPeriodEnd', t('must be a time from the year 1 to 9999')),
  ])
  return date
}

const licenseTypeRoutes = [
  defineRoute({
    ...reading,
    method: 'GET',
    path: '/api/licensing/license-types',
    operationId: 'listLicenseTypes',
    summary: 'Lists the license types of an application',
    query: TypesQuery,
    reply: { 200: Type.Array(LicenseTypeBody) },
    errors: ['INVALID_APPLICATION_ID'],
    handler: async (ctx, { query }) =>
      (await listApplicationLicenseTypes(ctx, query.applicationId)).map(toLicenseTypeBody),
  }),
  defineRoute({
    ...writing,
    method: 'POST',
    path: '/api/licensing/license-types',
    operationId: 'createLicenseType',
    summary: 'Creates a license type',
    body: CreateLicenseTypeRequest,
    reply: { 201: LicenseTypeBody },
    errors: ['INVALID_APPLICATION_ID', 'SLUG_TAKEN'],
    handler: async (ctx, { caller, body: { applicationId, ...draft }, request }) => {
      const source = toAuditSource(caller, request)
      const type = await inTransaction(ctx, (tx) => createLicenseType(ctx, tx, { applicationId, draft, source }))
      return toLicenseTypeBody(type)
    },
  }),
  defineRoute({
    ...writing,
    method: 'PATCH',
    path: '/api/licensing/license-types/:id',
    operationId: 'updateLicenseType',
    summary: 'Changes a license type; current holders get the changed features immediately',
    params: ById,
    body: UpdateLicenseTypeRequest,
    reply: { 200: LicenseTypeBody },
    errors: ['LICENSE_TYPE_NOT_FOUND', 'SLUG_TAKEN'],
    handler: async (ctx, { caller, params: { id }, body: change, request }) => {
      const source = toAuditSource(caller, request)
      const type = await inTransaction(ctx, (tx) => changeLicenseType(ctx, tx, { id, change, source }))
      return toLicenseTypeBody(type)
    },
  }),
]

const subscriptionRoutes = [
  defineRoute({
    ...reading,
    method: 'GET',
    path: '/api/licensing/tenants/:tenantId/license-overview',
    operationId: 'getLicenseOverview',
    summary: 'Shows the purchased, assigned and available seats of a tenant',
    params: ByTenantId,
    reply: { 200: Overview },
    errors: ['TENANT_NOT_FOUND'],
    handler: (ctx, { caller, params }) => getLicenseOverview(ctx, requireOwnTenant(caller, params.tenantId)),
  }),
  defineRoute({
    ...reading,
    method: 'GET',
    path: '/api/licensing/tenants/:tenantId/subscriptions',
    operationId: 'listSubscriptions',
    summary: 'Lists the subscriptions of a tenant',
    params: ByTenantId,
    reply: { 200: Type.Array(SubscriptionBody) },
    errors: ['TENANT_NOT_FOUND'],
    handler: async (ctx, { caller, params }) => {
      const now = ctx.now()
      const rows = await listTenantSubscriptions(ctx, requireOwnTenant(caller, params.tenantId))
      return rows.map((row) => toSubscriptionBody(row, now))
    },
  }),
  defineRoute({
    ...writing,
    method: 'POST',
    path: '/api/licensing/tenants/:tenantId/subscriptions',
    operationId: 'createSubscription',
    summary: 'Creates a subscription of a tenant to a license type',
    params: ByTenantId,
    body: CreateSubscriptionRequest,
    reply: { 201: SubscriptionBody },
    errors: ['TENANT_NOT_FOUND', 'LICENSE_TYPE_NOT_FOUND', 'SUBSCRIPTION_EXISTS'],
    idempotent: true,
    handler: async (ctx, { caller, params: { tenantId }, body, request }) => {
      const source = toAuditSource(caller, request)
      const draft = { ...body, tenantId, currentPeriodEnd: parsePeriodEnd(body.currentPeriodEnd) }
      return toSubscriptionBody(await createSubscription(ctx, { draft, source }), ctx.now())
    },
  }),
  defineRoute({
    ...writing,
    method: 'PATCH',
    path: '/api/licensing/subscriptions/:id',
    operationId: 'updateSubscription',
    summary: 'Changes the number of seats, the status or the end of a subscription',
    params: ById,
    body: UpdateSubscriptionRequest,
    reply: { 200: SubscriptionBody },
    errors: ['SUBSCRIPTION_NOT_FOUND', 'SEATS_IN_USE', 'TENANT_NOT_FOUND'],
    handler: async (ctx, { caller, params: { id }, body, request }) => {
      const source = toAuditSource(caller, request)
      const change = { ...body, currentPeriodEnd: parsePeriodEnd(body.currentPeriodEnd) }
      return toSubscriptionBody(await changeSubscription(ctx, { id, change, source }), ctx.now())
    },
  }),
  defineRoute({
    ...reading,
    method: 'GET',
    path: '/api/licensing/tenants/:tenantId/ledger',
    operationId: 'listLedgerEntries',
    summary: 'Lists all changes of the seats and subscriptions of a tenant, in order',
    params: ByTenantId,
    query: LedgerQuery,
    reply: { 200: Ledger },
    errors: ['TENANT_NOT_FOUND'],
    handler: (ctx, { caller, params, query }) =>
      getLedgerPage(ctx, { tenantId: requireOwnTenant(caller, params.tenantId), ...query }),
  }),
]

export const licensingAdminRoutes = [...licenseTypeRoutes, ...subscriptionRoutes]
