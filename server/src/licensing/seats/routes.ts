import type { FastifyReply, FastifyRequest } from 'fastify'
import { actorOf } from '../../audit/record.ts'
import type { TenantCaller } from '../../http/callers.ts'
import { defineRoute } from '../../http/define-route.ts'
import { Done } from '../../http/schema.ts'
import { bulkReply } from '../bulk.ts'
import {
  Assignment,
  BulkGrantRequest,
  BulkReply,
  BulkRevokeRequest,
  GrantRequest,
  RevokeRequest,
} from '../schema.ts'
import type { Granting } from './in-ledger.ts'
import { inBulk } from './many.ts'
import { type Assignment as Assigned, change, grant, grantSeat, revoke, revokeSeat } from './service.ts'

/** Giving and taking seats, for those who look after a tenant and for its machines. */

const AT = '/api/integration/licenses'
const writing = {
  tag: 'Licences',
  caller: 'license-writer',
  replyHeaders: { 'X-License-Revision': 'How far the ledger of the tenant came by it' },
} as const

const toGranting = (caller: TenantCaller, request: FastifyRequest): Granting => ({
  tenantId: caller.tenantId,
  actor: actorOf(caller),
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

export const seatsRoutes = [
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
      const { result, revision } = await grant(ctx, toGranting(caller, request), body)
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
      const { revision } = await revoke(ctx, toGranting(caller, request), body)
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
      const { result, revision } = await change(ctx, toGranting(caller, request), body)
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
    admission: 'bulk_actions',
    handler: async (ctx, { caller, body, request, reply }) => {
      const { grants } = body
      const { result, revision } = await inBulk(ctx, toGranting(caller, request), grants, grantSeat)
      tellRevision(reply, revision)
      return bulkReply(grants, result, (assigned) => ({ statusCode: 201, license: showAssignment(assigned) }))
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
    admission: 'bulk_actions',
    handler: async (ctx, { caller, body, request, reply }) => {
      const { revocations } = body
      const { result, revision } = await inBulk(ctx, toGranting(caller, request), revocations, revokeSeat)
      tellRevision(reply, revision)
      return bulkReply(revocations, result, () => ({ statusCode: 200 }))
    },
  }),
]
