import { Type } from 'typebox'
import { defineRoute } from '../http/define-route.ts'
import {
  check,
  checkFeature,
  requireConfidant,
  requireFeatureKey,
  requireTrusted,
  toQuestion,
} from './checks/service.ts'
import { explain } from './explain/service.ts'
import { holdersOf, numberOfHolders } from './holders/service.ts'
import {
  ByApplication,
  CheckBody,
  CheckFields,
  CheckQuery,
  CheckResult,
  ExplainQuery,
  Explanation,
  FeatureBody,
  FeatureFields,
  FeatureQuery,
  FeatureResult,
  LicenseCount,
  LicensedUsers,
  TypeResult,
} from './schema.ts'
import { seatsRoutes } from './seats/routes.ts'

/** What somebody may do with an application, for whoever has a token of the tenant. */

const AT = '/api/integration/licenses'
const reading = { tag: 'Licences', caller: 'license-reader' } as const
/** Where an answer is asked for that is at least so fresh. */
const asking = {
  ...reading,
  requestHeaders: { 'X-License-Min-Revision': 'The same as minRevision, which comes before it' },
} as const

const checks = [
  defineRoute({
    ...asking,
    method: 'GET',
    repeats: true,
    path: `${AT}/check`,
    summary: 'Says whether somebody holds a licence, and which',
    query: CheckQuery,
    reply: { 200: CheckResult },
    errors: ['INVALID_APPLICATION_ID'],
    handler: (ctx, { caller, query, request }) => check(ctx, toQuestion(caller, query, request)),
  }),
  defineRoute({
    ...asking,
    method: 'POST',
    path: `${AT}/check`,
    summary: 'The same, with the fields in the body or in the address',
    query: CheckFields,
    body: Type.Optional(CheckBody),
    reply: { 200: CheckResult },
    errors: ['INVALID_APPLICATION_ID'],
    handler: (ctx, { caller, query, body, request }) =>
      check(ctx, toQuestion(caller, { ...query, ...body }, request)),
  }),
  defineRoute({
    ...asking,
    method: 'GET',
    repeats: true,
    path: `${AT}/feature`,
    summary: 'Says whether the licence of somebody has a feature',
    query: FeatureQuery,
    reply: { 200: FeatureResult },
    errors: ['INVALID_APPLICATION_ID'],
    handler: (ctx, { caller, query, request }) =>
      checkFeature(ctx, toQuestion(caller, query, request), query.featureKey),
  }),
  defineRoute({
    ...asking,
    method: 'POST',
    path: `${AT}/feature`,
    summary: 'The same, with the fields in the body or in the address',
    query: FeatureFields,
    body: Type.Optional(FeatureBody),
    reply: { 200: FeatureResult },
    errors: ['INVALID_APPLICATION_ID'],
    handler: (ctx, { caller, query, body, request }) => {
      const fields = { ...query, ...body }
      const featureKey = requireFeatureKey(fields)
      return checkFeature(ctx, toQuestion(caller, fields, request), featureKey)
    },
  }),
  defineRoute({
    ...asking,
    method: 'GET',
    path: `${AT}/type`,
    summary: 'Says which type of licence somebody holds',
    query: CheckQuery,
    reply: { 200: TypeResult },
    errors: ['INVALID_APPLICATION_ID'],
    handler: async (ctx, { caller, query, request }) => {
      const { licenseType } = await check(ctx, toQuestion(caller, query, request))
      return { licenseType }
    },
  }),
  defineRoute({
    ...asking,
    method: 'GET',
    path: `${AT}/explain`,
    summary: 'Says why somebody has a licence or a feature, or why not, and what would change it',
    query: ExplainQuery,
    reply: { 200: Explanation },
    errors: ['INVALID_APPLICATION_ID'],
    handler: (ctx, { caller, query, request }) => {
      const question = toQuestion(caller, query, request)
      requireConfidant(caller, question)
      return explain(ctx, question, query.featureKey)
    },
  }),
]

const holders = [
  defineRoute({
    ...reading,
    method: 'GET',
    path: `${AT}/apps/:applicationId/users`,
    summary: 'Lists who in the tenant may use the application at this moment',
    params: ByApplication,
    reply: { 200: LicensedUsers },
    errors: ['INVALID_APPLICATION_ID'],
    handler: async (ctx, { caller, params }) => {
      const list = await holdersOf(ctx, { ...params, tenantId: requireTrusted(caller).tenantId })
      return list.map((holder) => ({ ...holder, assignedAt: holder.assignedAt.toISOString() }))
    },
  }),
  defineRoute({
    ...reading,
    method: 'GET',
    path: `${AT}/apps/:applicationId/count`,
    summary: 'Says how many these are',
    params: ByApplication,
    reply: { 200: LicenseCount },
    errors: ['INVALID_APPLICATION_ID'],
    handler: async (ctx, { caller, params }) => ({
      count: await numberOfHolders(ctx, { ...params, tenantId: requireTrusted(caller).tenantId }),
    }),
  }),
]

export const licensingRoutes = [...checks, ...holders, ...seatsRoutes]
