import { Type } from 'typebox'
import { defineRoute } from '../http/routing/define-route.ts'
import {
  checkFeature,
  checkLicense,
  requireExplainAccess,
  requireFeatureKey,
  requireTrusted,
  toLicenseQuery,
} from './checks/service.ts'
import { explain } from './explain/service.ts'
import { countLicenseHolders, listLicenseHolders } from './holders/service.ts'
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

/** License checks, for every caller with a token of the tenant. */

const BASE_PATH = '/api/integration/licenses'
const reading = { tag: 'Licenses', caller: 'license-reader' } as const
const readingFresh = {
  ...reading,
  requestHeaders: { 'X-License-Min-Revision': 'The same as minRevision, which takes precedence' },
} as const
/** Pages of an application read the license of their user, to show what it allows. */
const readingFromPages = { ...readingFresh, crossOrigin: 'registered' } as const

const checkRoutes = [
  defineRoute({
    ...readingFromPages,
    method: 'GET',
    path: `${BASE_PATH}/check`,
    operationId: 'checkLicense',
    summary: 'Checks whether a user holds a license, and which',
    query: CheckQuery,
    reply: { 200: CheckResult },
    errors: ['INVALID_APPLICATION_ID'],
    handler: (ctx, { caller, query, request }) => checkLicense(ctx, toLicenseQuery(caller, query, request)),
  }),
  defineRoute({
    ...readingFromPages,
    method: 'POST',
    path: `${BASE_PATH}/check`,
    operationId: 'postLicenseCheck',
    summary: 'The same, with the fields in the body or in the query string',
    query: CheckFields,
    body: Type.Optional(CheckBody),
    reply: { 200: CheckResult },
    errors: ['INVALID_APPLICATION_ID'],
    handler: (ctx, { caller, query, body, request }) =>
      checkLicense(ctx, toLicenseQuery(caller, { ...query, ...body }, request)),
  }),
  defineRoute({
    ...readingFromPages,
    method: 'GET',
    path: `${BASE_PATH}/feature`,
    operationId: 'checkFeature',
    summary: 'Checks whether the license of a user has a feature',
    query: FeatureQuery,
    reply: { 200: FeatureResult },
    errors: ['INVALID_APPLICATION_ID'],
    handler: (ctx, { caller, query, request }) =>
      checkFeature(ctx, toLicenseQuery(caller, query, request), query.featureKey),
  }),
  defineRoute({
    ...readingFromPages,
    method: 'POST',
    path: `${BASE_PATH}/feature`,
    operationId: 'postFeatureCheck',
    summary: 'The same, with the fields in the body or in the query string',
    query: FeatureFields,
    body: Type.Optional(FeatureBody),
    reply: { 200: FeatureResult },
    errors: ['INVALID_APPLICATION_ID'],
    handler: (ctx, { caller, query, body, request }) => {
      const fields = { ...query, ...body }
      const featureKey = requireFeatureKey(fields)
      return checkFeature(ctx, toLicenseQuery(caller, fields, request), featureKey)
    },
  }),
  defineRoute({
    ...readingFresh,
    method: 'GET',
    path: `${BASE_PATH}/type`,
    operationId: 'getUserLicenseType',
    summary: 'Returns the license type that a user holds',
    query: CheckQuery,
    reply: { 200: TypeResult },
    errors: ['INVALID_APPLICATION_ID'],
    handler: async (ctx, { caller, query, request }) => {
      const { licenseType } = await checkLicense(ctx, toLicenseQuery(caller, query, request))
      return { licenseType }
    },
  }),
  defineRoute({
    ...readingFresh,
    method: 'GET',
    path: `${BASE_PATH}/explain`,
    operationId: 'explainLicense',
    summary: 'Explains why a user has or does not have a license or feature, and what would change it',
    query: ExplainQuery,
    reply: { 200: Explanation },
    errors: ['INVALID_APPLICATION_ID'],
    handler: (ctx, { caller, query, request }) => {
      const licenseQuery = toLicenseQuery(caller, query, request)
      requireExplainAccess(caller, licenseQuery)
      return explain(ctx, licenseQuery, query.featureKey)
    },
  }),
]

const holderRoutes = [
  defineRoute({
    ...reading,
    method: 'GET',
    path: `${BASE_PATH}/apps/:applicationId/users`,
    operationId: 'listLicensedUsers',
    summary: 'Lists the members of the tenant who hold a license for the application now',
    params: ByApplication,
    reply: { 200: LicensedUsers },
    errors: ['INVALID_APPLICATION_ID'],
    handler: async (ctx, { caller, params }) => {
      const holders = await listLicenseHolders(ctx, { ...params, tenantId: requireTrusted(caller).tenantId })
      return holders.map((holder) => ({ ...holder, assignedAt: holder.assignedAt.toISOString() }))
    },
  }),
  defineRoute({
    ...reading,
    method: 'GET',
    path: `${BASE_PATH}/apps/:applicationId/count`,
    operationId: 'countLicenses',
    summary: 'Counts the members of the tenant who hold a license for the application now',
    params: ByApplication,
    reply: { 200: LicenseCount },
    errors: ['INVALID_APPLICATION_ID'],
    handler: async (ctx, { caller, params }) => ({
      count: await countLicenseHolders(ctx, { ...params, tenantId: requireTrusted(caller).tenantId }),
    }),
  }),
]

export const licensingRoutes = [...checkRoutes, ...holderRoutes, ...seatsRoutes]
