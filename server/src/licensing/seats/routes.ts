import type { FastifyReply, FastifyRequest } from 'fastify'
import { toActor } from '../../audit/record.ts'
import type { TenantCaller } from '../../http/routing/callers.ts'
import { defineRoute } from '../../http/routing/define-route.ts'
import { ActionResult } from '../../http/routing/schema.ts'
import { toBulkReply } from '../bulk.ts'
import {
  Assignment,
  BulkGrantRequest,
  BulkReply,
  BulkRevokeRequest,
  GrantLicenseRequest,
  RevokeLicenseRequest,
} from '../schema.ts'
import { changeSeatsInBulk } from './bulk.ts'
import type { GrantContext } from './seat-transaction.ts'
import { type Assignment as Assigned, change, grant, grantSeat, revoke, revokeSeat } from './service.ts'

/** Giving and taking seats, for those who look after a tenant and for its machines. */

const BASE_PATH = '/api/integration/licenses'
const writing = {
  tag: 'Licenses',
  caller: 'license-writer',
  replyHeaders: { 'X-License-Revision': 'The revision of the ledger of the tenant after the change' },
} as const

const toContext = (caller: TenantCaller, request: FastifyRequest): GrantContext => ({
  tenantId: caller.tenantId,
  actor: toActor(caller),
  request,
  byRole: caller.kind === 'person',
})

const setRevision = (reply: FastifyReply, revision: string) => reply.header('X-License-Revision', revision)

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
    path: `${BASE_PATH}/grant`,
    operationId: 'grantLicense',
    summary: 'Gives somebody a seat',
    body: GrantLicenseRequest,
    reply: { 201: Assignment },
    errors: [...REFUSALS],
    idempotent: true,
    handler: async (ctx, { caller, body, request, reply }) => {
      const { result, revision } = await grant(ctx, toContext(caller, request), body)
      setRevision(reply, revision)
      return showAssignment(result)
    },
  }),
  defineRoute({
    ...writing,
    method: 'POST',
    path: `${BASE_PATH}/revoke`,
    operationId: 'revokeLicense',
    summary: 'Takes the seat of somebody back',
    body: RevokeLicenseRequest,
    reply: { 200: ActionResult },
    errors: ['INVALID_APPLICATION_ID', 'LICENSE_NOT_FOUND'],
    handler: async (ctx, { caller, body, request, reply }) => {
      const { revision } = await revoke(ctx, toContext(caller, request), body)
      setRevision(reply, revision)
      return { success: true, message: 'License revoked' }
    },
  }),
  defineRoute({
    ...writing,
    method: 'POST',
    path: `${BASE_PATH}/change`,
    operationId: 'changeLicense',
    summary: 'Gives somebody who has a seat one of another type instead',
    body: GrantLicenseRequest,
    reply: { 200: Assignment },
    errors: ['INVALID_APPLICATION_ID', 'LICENSE_TYPE_NOT_FOUND', 'LICENSE_NOT_FOUND', 'NO_SEATS_AVAILABLE'],
    handler: async (ctx, { caller, body, request, reply }) => {
      const { result, revision } = await change(ctx, toContext(caller, request), body)
      setRevision(reply, revision)
      return showAssignment(result)
    },
  }),
  defineRoute({
    ...writing,
    method: 'POST',
    path: `${BASE_PATH}/grant/bulk`,
    operationId: 'grantLicenses',
    summary: 'Gives many people a seat, with a result for each',
    body: BulkGrantRequest,
    reply: { 200: BulkReply },
    idempotent: true,
    admission: 'bulk_actions',
    handler: async (ctx, { caller, body, request, reply }) => {
      const { grants } = body
      const { result, revision } = await changeSeatsInBulk(ctx, toContext(caller, request), grants, grantSeat)
      setRevision(reply, revision)
      return toBulkReply(grants, result, (assigned) => ({
        statusCode: 201,
        license: showAssignment(assigned),
      }))
    },
  }),
  defineRoute({
    ...writing,
    method: 'POST',
    path: `${BASE_PATH}/revoke/bulk`,
    operationId: 'revokeLicenses',
    summary: 'Takes the seats of many people back, with a result for each',
    body: BulkRevokeRequest,
    reply: { 200: BulkReply },
    idempotent: true,
    admission: 'bulk_actions',
    handler: async (ctx, { caller, body, request, reply }) => {
      const { revocations } = body
      const { result, revision } = await changeSeatsInBulk(ctx, toContext(caller, request), revocations, revokeSeat)
      setRevision(reply, revision)
      return toBulkReply(revocations, result, () => ({ statusCode: 200 }))
    },
  }),
]
