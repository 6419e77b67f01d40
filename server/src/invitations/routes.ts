import { Type } from 'typebox'
import { defineRoute } from '../http/routing/define-route.ts'
import { ActionResult } from '../http/routing/schema.ts'
import { t } from '../languages/translate.ts'
import { CreatedInvitation } from '../tenants/invitation-body.ts'
import { PERMISSIONS } from '../tenants/permissions.ts'
import { acceptInvitation, getInvitationDetails } from './acceptance.ts'
import { createInvitations } from './bulk.ts'
import { listInvitationPage } from './list.ts'
import {
  Accepted,
  AcceptInvitationRequest,
  BulkInviteRequest,
  BulkInviteResponse,
  ByInvitation,
  ByTenant,
  ByToken,
  CreateInvitationRequest,
  InvitationDetails,
  InvitationList,
  InvitationQuery,
} from './schema.ts'
import { createInvitation, resendInvitation, revokeInvitation } from './service.ts'

const tag = 'Invitations'
const forMembers = { tag, caller: 'member' } as const

/** The errors of reserving a seat. */
const SEAT_ERRORS = [
  'INVALID_APPLICATION_ID',
  'LICENSE_TYPE_NOT_FOUND',
  'NO_SEATS_AVAILABLE',
  'ALREADY_LICENSED',
] as const

const tenantRoutes = [
  defineRoute({
    ...forMembers,
    method: 'GET',
    path: '/api/tenants/:id/invitations',
    operationId: 'listInvitations',
    summary: 'Lists the invitations of a tenant; X-Total-Count says how many there are on all pages',
    roles: PERMISSIONS.readInvitations.roles,
    params: ByTenant,
    query: InvitationQuery,
    reply: { 200: InvitationList },
    handler: async (ctx, { tx, caller, query, reply }) => {
      const { total, ...list } = await listInvitationPage(ctx, tx, { tenantId: caller.tenantId, ...query })
      reply.header('X-Total-Count', String(total))
      return list
    },
  }),
  defineRoute({
    ...forMembers,
    method: 'POST',
    path: '/api/tenants/:id/invitations',
    operationId: 'createInvitation',
    summary: 'Invites somebody by mail',
    roles: PERMISSIONS.invite.roles,
    params: ByTenant,
    body: CreateInvitationRequest,
    reply: { 201: CreatedInvitation },
    errors: ['ALREADY_MEMBER', 'INVITATION_EXISTS', 'RATE_LIMITED', ...SEAT_ERRORS],
    idempotent: true,
    handler: (ctx, { tx, caller, body, request }) => createInvitation(ctx, tx, { caller, request }, body),
  }),
  defineRoute({
    ...forMembers,
    method: 'POST',
    path: '/api/tenants/:id/invitations/bulk',
    operationId: 'createInvitations',
    summary: 'Invites many at once, with a result for each',
    roles: PERMISSIONS.invite.roles,
    params: ByTenant,
    body: BulkInviteRequest,
    reply: { 200: BulkInviteResponse },
    idempotent: true,
    admission: 'bulk_actions',
    handler: (ctx, { tx, caller, body, request }) => createInvitations(ctx, tx, { caller, request }, body.invitations),
  }),
  defineRoute({
    ...forMembers,
    method: 'POST',
    path: '/api/tenants/:id/invitations/:invitationId/resend',
    operationId: 'resendInvitation',
    summary: 'Sends the mail of an invitation again; the link before is not good any more',
    roles: PERMISSIONS.invite.roles,
    params: ByInvitation,
    reply: { 200: ActionResult },
    errors: ['INVITATION_NOT_FOUND', 'INVITATION_NOT_PENDING', 'RATE_LIMITED'],
    handler: async (ctx, { tx, caller, params, request }) => {
      await resendInvitation(ctx, tx, { caller, request, invitationId: params.invitationId })
      return { success: true, message: t('Invitation resent') }
    },
  }),
  defineRoute({
    ...forMembers,
    method: 'DELETE',
    path: '/api/tenants/:id/invitations/:invitationId',
    operationId: 'revokeInvitation',
    summary: 'Revokes an invitation',
    roles: PERMISSIONS.invite.roles,
    params: ByInvitation,
    reply: { 200: ActionResult },
    errors: ['INVITATION_NOT_FOUND', 'INVITATION_NOT_PENDING'],
    handler: async (ctx, { tx, caller, params, request }) => {
      await revokeInvitation(ctx, tx, { caller, request, invitationId: params.invitationId })
      return { success: true, message: t('Invitation revoked') }
    },
  }),
]

const NOT_OPEN_ERRORS = [
  'INVITATION_NOT_FOUND',
  'INVITATION_EXPIRED',
  'INVITATION_REVOKED',
  'INVITATION_ALREADY_ACCEPTED',
  'TENANT_SUSPENDED',
] as const

const inviteeRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/invitations/:token',
    operationId: 'getInvitation',
    tag,
    summary: 'Shows an open invitation to whoever has its link',
    caller: 'anyone',
    params: ByToken,
    reply: { 200: InvitationDetails },
    errors: [...NOT_OPEN_ERRORS],
    handler: (ctx, { params }) => getInvitationDetails(ctx, params.token),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/invitations/:token/accept',
    operationId: 'acceptInvitation',
    tag,
    summary: 'Accepts an invitation, signed in to the account it is for, or with a password for a new one',
    caller: 'visitor',
    params: ByToken,
    body: Type.Optional(AcceptInvitationRequest),
    reply: { 200: Accepted },
    errors: [
      ...NOT_OPEN_ERRORS,
      'INVITATION_EMAIL_MISMATCH',
      'EMAIL_NOT_VERIFIED',
      'WEAK_PASSWORD',
      'ALREADY_MEMBER',
      'RATE_LIMITED',
    ],
    handler: async (ctx, { caller, params, body, request }) => {
      const acceptance = { token: params.token, userId: caller?.userId, body, request }
      const { tenantId, tenantName } = await acceptInvitation(ctx, acceptance)
      return { success: true, tenantId, tenantName }
    },
  }),
]

export const invitationsRoutes = [...tenantRoutes, ...inviteeRoutes]
