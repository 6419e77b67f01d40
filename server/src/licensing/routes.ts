import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { machine, person } from '../audit/record.ts'
import { AppError } from '../errors.ts'
import type { TenantCaller } from '../http/callers.ts'
import { defineRoute } from '../http/define-route.ts'
import { Done } from '../http/schema.ts'
import { toId } from '../lib/ids.ts'
import { bulkReply } from './bulk.ts'
import {
  check,
  hasFeature,
  requireFeatureKey,
  subjectOf,
  toApplicationId,
  toQuestion,
} from './checks/service.ts'
import { explain } from './explain/service.ts'
import { holdersOf, numberOfHolders } from './holders/service.ts'
import type { Question } from './licenses.ts'
import {
  Assignment,
  BulkGrantRequest,
  BulkReply,
  BulkRevokeRequest,
  ByApplication,
  CheckBody,
  CheckQuery,
  CheckResult,
  Explanation,
  FeatureBody,
  FeatureFields,
  FeatureQuery,
  FeatureResult,
  GrantRequest,
  LicenseCount,
  LicensedUsers,
  RevokeRequest,
  TypeResult,
} from './schema.ts'
import {
  type Assignment as Assigned,
  change,
  forEach,
  type Granting,
  grant,
  grantSeat,
  revoke,
  revokeSeat,
} from './seats/service.ts'

const AT = '/api/integration/licenses'
const reading = { tag: 'Licences', caller: 'license-reader' } as const
/** Where an answer is asked for that is at least so fresh. */
const asking = {
  ...reading,
  requestHeaders: { 'X-License-Min-Revision': 'The same as minRevision, which comes before it' },
} as const
const writing = {
  tag: 'Licences',
  caller: 'license-writer',
  replyHeaders: { 'X-License-Revision': 'How far the ledger of the tenant came by it' },
} as const

const checks = [
  defineRoute({
    ...asking,
    method: 'GET',
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
    query: CheckQuery,
    body: Type.Optional(CheckBody),
    reply: { 200: CheckResult },
    errors: ['INVALID_APPLICATION_ID'],
    handler: (ctx, { caller, query, body, request }) =>
      check(ctx, toQuestion(caller, { ...query, ...body }, request)),
  }),
  defineRoute({
    ...asking,
    method: 'GET',
    path: `${AT}/feature`,
    summary: 'Says whether the licence of somebody has a feature',
    query: FeatureQuery,
    reply: { 200: FeatureResult },
    errors: ['INVALID_APPLICATION_ID'],
    handler: async (ctx, { caller, query, request }) => ({
      hasFeature: await hasFeature(ctx, toQuestion(caller, query, request), query.featureKey),
    }),
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
    handler: async (ctx, { caller, query, body, request }) => {
      const fields = { ...query, ...body }
      const featureKey = requireFeatureKey(fields)
      return { hasFeature: await hasFeature(ctx, toQuestion(caller, fields, request), featureKey) }
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
    query: FeatureFields,
    reply: { 200: Explanation },
    errors: ['INVALID_APPLICATION_ID'],
    handler: (ctx, { caller, query, request }) => {
      const question = toQuestion(caller, query, request)
      requireConfidant(caller, question)
      return explain(ctx, question, query.featureKey)
    },
  }),
]

/** Why somebody has no licence is between them and those who look after the tenant. */
function requireConfidant(caller: TenantCaller, { userId }: Question): void {
  if (caller.kind === 'machine' || caller.userId === toId(userId)) return
  if (!caller.trusted || caller.tenantRole === 'member') throw new AppError('FORBIDDEN')
}

/** What tells of others is not for third-party applications. */
function requireTrusted(caller: TenantCaller): TenantCaller {
  if (caller.kind === 'person' && !caller.trusted) throw new AppError('FORBIDDEN')
  return caller
}

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

const toGranting = (caller: TenantCaller, request: FastifyRequest): Granting => ({
  tenantId: caller.tenantId,
  actor: caller.kind === 'person' ? person(caller.userId) : machine(caller.clientId),
  request,
  byRole: caller.kind === 'person',
})

const tellRevision = (reply: FastifyReply, revision: string) => reply.header('X-License-Revision', revision)

const showAssignment = ({ assignedAt, ...assignment }: Assigned) => ({
  ...assignment,
  assignedAt: assignedAt.toISOString(),
})

const REFUSALS = [
  'INVALID_APPLICATION_ID',
  'LICENSE_TYPE_NOT_FOUND',
  'USER_NOT_FOUND',
  'MEMBER_NOT_ACTIVE',
  'ALREADY_LICENSED',
  'NO_SEATS_AVAILABLE',
] as const

const seats = [
  defineRoute({
    ...writing,
    method: 'POST',
    path: `${AT}/grant`,
    summary: 'Gives somebody a seat',
    body: GrantRequest,
    reply: { 201: Assignment },
    errors: [...REFUSALS],
    idempotent: true,
    handler: async (ctx, { caller, body, request, reply }) => {
      const wish = {
        userId: subjectOf(caller, body.userId),
        applicationId: toApplicationId(body.applicationId),
        licenseTypeId: body.licenseTypeId,
      }
      const { result, revision } = await grant(ctx, toGranting(caller, request), wish)
      tellRevision(reply, revision)
      return showAssignment(result)
    },
  }),
  defineRoute({
    ...writing,
    method: 'POST',
    path: `${AT}/revoke`,
    summary: 'Takes the seat of somebody back',
    body: RevokeRequest,
    reply: { 200: Done },
    errors: ['INVALID_APPLICATION_ID', 'LICENSE_NOT_FOUND'],
    handler: async (ctx, { caller, body, request, reply }) => {
      const wish = {
        userId: subjectOf(caller, body.userId),
        applicationId: toApplicationId(body.applicationId),
      }
      const { revision } = await revoke(ctx, toGranting(caller, request), wish)
      tellRevision(reply, revision)
      return { success: true, message: 'License revoked' }
    },
  }),
  defineRoute({
    ...writing,
    method: 'POST',
    path: `${AT}/change`,
    summary: 'Gives somebody who has a seat one of another type instead',
    body: GrantRequest,
    reply: { 200: Assignment },
    errors: ['INVALID_APPLICATION_ID', 'LICENSE_TYPE_NOT_FOUND', 'LICENSE_NOT_FOUND', 'NO_SEATS_AVAILABLE'],
    handler: async (ctx, { caller, body, request, reply }) => {
      const wish = {
        userId: subjectOf(caller, body.userId),
        applicationId: toApplicationId(body.applicationId),
        licenseTypeId: body.licenseTypeId,
      }
      const { result, revision } = await change(ctx, toGranting(caller, request), wish)
      tellRevision(reply, revision)
      return showAssignment(result)
    },
  }),
  defineRoute({
    ...writing,
    method: 'POST',
    path: `${AT}/grant/bulk`,
    summary: 'Gives many people a seat, with a result for each',
    body: BulkGrantRequest,
    reply: { 200: BulkReply },
    idempotent: true,
    handler: async (ctx, { caller, body, request, reply }) => {
      const wishes = body.grants.map((row) => ({ ...row, applicationId: toApplicationId(row.applicationId) }))
      const { result, revision } = await forEach(ctx, toGranting(caller, request), wishes, grantSeat)
      tellRevision(reply, revision)
      return bulkReply(wishes, result, (assigned) => ({ statusCode: 201, license: showAssignment(assigned) }))
    },
  }),
  defineRoute({
    ...writing,
    method: 'POST',
    path: `${AT}/revoke/bulk`,
    summary: 'Takes the seats of many people back, with a result for each',
    body: BulkRevokeRequest,
    reply: { 200: BulkReply },
    idempotent: true,
    handler: async (ctx, { caller, body, request, reply }) => {
      const wishes = body.revocations.map((row) => ({
        ...row,
        applicationId: toApplicationId(row.applicationId),
      }))
      const { result, revision } = await forEach(ctx, toGranting(caller, request), wishes, revokeSeat)
      tellRevision(reply, revision)
      return bulkReply(wishes, result, () => ({ statusCode: 200 }))
    },
  }),
]

export const licensingRoutes = [...checks, ...holders, ...seats]
