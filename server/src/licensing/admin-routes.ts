import { Type } from 'typebox'
import { sourceOf } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import type { Caller } from '../http/callers.ts'
import { defineRoute } from '../http/define-route.ts'
import { demand, refuseProblems } from '../lib/problems.ts'
import {
  ById,
  ByTenantId,
  Ledger,
  LedgerQuery,
  LicenseTypeBody,
  LicenseTypeChange,
  NewLicenseType,
  NewSubscriptionRequest,
  Overview,
  SubscriptionBody,
  SubscriptionChangeRequest,
  TypesQuery,
} from './admin-schema.ts'
import { changeType, createType, typesOf } from './catalogue/service.ts'
import type { LicenseType } from './catalogue/store.ts'
import { pageOfLedger } from './ledger/service.ts'
import {
  changeSubscription,
  overviewOf,
  subscribe,
  subscriptionsOf,
  toFullEntry,
} from './subscriptions/service.ts'

const reading = { tag: 'Licensing', caller: 'auditor' } as const
const writing = { tag: 'Licensing', caller: 'administrator' } as const

/** A machine of one tenant looks at that alone. */
function requireOwn(caller: Caller, tenantId: string): string {
  const bound = caller.kind === 'machine' ? caller.tenantId : undefined
  if (bound !== undefined && bound !== tenantId.toLowerCase()) throw new AppError('FORBIDDEN')
  return tenantId
}

/** What is written is known to this node before the answer is. */
async function write<T>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> {
  const done = await ctx.db.transaction().execute(work)
  await ctx.changes.settle()
  return done
}

const showType = ({ application_id, display_order, created_at, updated_at, ...type }: LicenseType) => ({
  ...type,
  applicationId: application_id,
  displayOrder: display_order,
  createdAt: created_at.toISOString(),
  updatedAt: updated_at.toISOString(),
})

/** A moment as it was sent; null takes it away. */
function toEnd(text: string | null | undefined): Date | null | undefined {
  if (text === null || text === undefined) return text
  const date = new Date(text)
  const year = date.getUTCFullYear()
  // Also by Greenwich it must have a year of four digits.
  refuseProblems([demand(year >= 1 && year <= 9999, 'currentPeriodEnd', 'is no moment')])
  return date
}

const types = [
  defineRoute({
    ...reading,
    method: 'GET',
    path: '/api/licensing/license-types',
    summary: 'Lists the licence types of an application',
    query: TypesQuery,
    reply: { 200: Type.Array(LicenseTypeBody) },
    errors: ['INVALID_APPLICATION_ID'],
    handler: async (ctx, { query }) => (await typesOf(ctx, query.applicationId)).map(showType),
  }),
  defineRoute({
    ...writing,
    method: 'POST',
    path: '/api/licensing/license-types',
    summary: 'Makes a licence type',
    body: NewLicenseType,
    reply: { 201: LicenseTypeBody },
    errors: ['INVALID_APPLICATION_ID', 'SLUG_TAKEN'],
    handler: async (ctx, { caller, body: { applicationId, ...draft }, request }) => {
      const source = sourceOf(caller, request)
      return showType(await write(ctx, (tx) => createType(ctx, tx, { applicationId, draft, source })))
    },
  }),
  defineRoute({
    ...writing,
    method: 'PATCH',
    path: '/api/licensing/license-types/:id',
    summary: 'Changes a licence type; whoever holds it has what it lets them do from then on',
    params: ById,
    body: LicenseTypeChange,
    reply: { 200: LicenseTypeBody },
    errors: ['LICENSE_TYPE_NOT_FOUND', 'SLUG_TAKEN'],
    handler: async (ctx, { caller, params: { id }, body: change, request }) => {
      const source = sourceOf(caller, request)
      return showType(await write(ctx, (tx) => changeType(ctx, tx, { id, change, source })))
    },
  }),
]

const tenants = [
  defineRoute({
    ...reading,
    method: 'GET',
    path: '/api/licensing/tenants/:tenantId/license-overview',
    summary: 'Shows what a tenant owns and uses',
    params: ByTenantId,
    reply: { 200: Overview },
    errors: ['TENANT_NOT_FOUND'],
    handler: (ctx, { caller, params }) => overviewOf(ctx, requireOwn(caller, params.tenantId)),
  }),
  defineRoute({
    ...reading,
    method: 'GET',
    path: '/api/licensing/tenants/:tenantId/subscriptions',
    summary: 'Lists the subscriptions of a tenant',
    params: ByTenantId,
    reply: { 200: Type.Array(SubscriptionBody) },
    errors: ['TENANT_NOT_FOUND'],
    handler: async (ctx, { caller, params }) => {
      const now = ctx.now()
      const rows = await subscriptionsOf(ctx, requireOwn(caller, params.tenantId))
      return rows.map((row) => toFullEntry(row, now))
    },
  }),
  defineRoute({
    ...writing,
    method: 'POST',
    path: '/api/licensing/tenants/:tenantId/subscriptions',
    summary: 'Sells a tenant seats of a licence type',
    params: ByTenantId,
    body: NewSubscriptionRequest,
    reply: { 201: SubscriptionBody },
    errors: ['TENANT_NOT_FOUND', 'LICENSE_TYPE_NOT_FOUND', 'SUBSCRIPTION_EXISTS'],
    idempotent: true,
    handler: async (ctx, { caller, params: { tenantId }, body, request }) => {
      const source = sourceOf(caller, request)
      const draft = { ...body, tenantId, currentPeriodEnd: toEnd(body.currentPeriodEnd) }
      return toFullEntry(await subscribe(ctx, { draft, source }), ctx.now())
    },
  }),
  defineRoute({
    ...writing,
    method: 'PATCH',
    path: '/api/licensing/subscriptions/:id',
    summary: 'Changes how many seats a subscription has, its status or its end',
    params: ById,
    body: SubscriptionChangeRequest,
    reply: { 200: SubscriptionBody },
    errors: ['SUBSCRIPTION_NOT_FOUND', 'SEATS_IN_USE', 'TENANT_NOT_FOUND'],
    handler: async (ctx, { caller, params: { id }, body, request }) => {
      const source = sourceOf(caller, request)
      const change = { ...body, currentPeriodEnd: toEnd(body.currentPeriodEnd) }
      return toFullEntry(await changeSubscription(ctx, { id, change, source }), ctx.now())
    },
  }),
  defineRoute({
    ...reading,
    method: 'GET',
    path: '/api/licensing/tenants/:tenantId/ledger',
    summary: 'Lists everything that ever happened to the seats and subscriptions of a tenant, in order',
    params: ByTenantId,
    query: LedgerQuery,
    reply: { 200: Ledger },
    errors: ['TENANT_NOT_FOUND'],
    handler: (ctx, { caller, params, query }) =>
      pageOfLedger(ctx, { tenantId: requireOwn(caller, params.tenantId), ...query }),
  }),
]

export const licensingAdminRoutes = [...types, ...tenants]
