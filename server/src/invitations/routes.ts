import { Type } from 'typebox'
import { defineRoute } from '../http/define-route.ts'
import { Done } from '../http/schema.ts'
import { PERMISSIONS } from '../tenants/permissions.ts'
import { accept, showInvitation } from './acceptance.ts'
import { inviteMany } from './bulk.ts'
import { listOf } from './list.ts'
import {
  Accepted,
  AcceptRequest,
  BulkInviteReply,
  BulkInviteRequest,
  ByInvitation,
  ByTenant,
  ByToken,
  CreatedInvitation,
  InvitationList,
  InvitationQuery,
  InviteRequest,
  ShownInvitation,
} from './schema.ts'
import { invite, resend, revoke } from './service.ts'

const tag = 'Invitations'
const forMembers = { tag, caller: 'member' } as const

/** Where a seat is to be kept for whoever is invited. */
const NO_SEAT = [
  'INVALID_APPLICATION_ID',
  'LICENSE_TYPE_NOT_FOUND',
  'NO_SEATS_AVAILABLE',
  'ALREADY_LICENSED',
] as const

const sending = [
  defineRoute({
    ...forMembers,
    method: 'GET',
    path: '/api/tenants/:id/invitations',
    summary: 'Lists the invitations of a tenant; X-Total-Count says how many there are on all pages',
    roles: PERMISSIONS.readInvitations.roles,
    params: ByTenant,
    query: InvitationQuery,
    reply: { 200: InvitationList },
    handler: async (ctx, { tx, caller, query, reply }) => {
      const { total, ...list } = await listOf(ctx, tx, { tenantId: caller.tenantId, ...query })
      reply.header('X-Total-Count', String(total))
      return list
    },
  }),
  defineRoute({
    ...forMembers,
    method: 'POST',
    path: '/api/tenants/:id/invitations',
    summary: 'Invites somebody by mail',
    roles: PERMISSIONS.invite.roles,
    params: ByTenant,
    body: InviteRequest,
    reply: { 201: CreatedInvitation },
    errors: ['ALREADY_MEMBER', 'INVITATION_EXISTS', 'RATE_LIMITED', ...NO_SEAT],
    idempotent: true,
    handler: (ctx, { tx, caller, body, request }) => invite(ctx, tx, { caller, request }, body),
  }),
  defineRoute({
    ...forMembers,
    method: 'POST',
    path: '/api/tenants/:id/invitations/bulk',
    summary: 'Invites many at once, with a result for each',
    roles: PERMISSIONS.invite.roles,
    params: ByTenant,
    body: BulkInviteRequest,
    reply: { 200: BulkInviteReply },
    idempotent: true,
    admission: 'bulk_actions',
    handler: (ctx, { tx, caller, body, request }) =>
      inviteMany(ctx, tx, { caller, request }, body.invitations),
  }),
  defineRoute({
    ...forMembers,
    method: 'POST',
    path: '/api/tenants/:id/invitations/:invitationId/resend',
    summary: 'Sends the mail of an invitation again; the link before is not good any more',
    roles: PERMISSIONS.invite.roles,
    params: ByInvitation,
    reply: { 200: Done },
    errors: ['INVITATION_NOT_FOUND', 'INVITATION_NOT_PENDING', 'RATE_LIMITED'],
    handler: async (ctx, { tx, caller, params, request }) => {
      await resend(ctx, tx, { caller, request, invitationId: params.invitationId })
      return { success: true, message: 'Invitation resent' }
    },
  }),
  defineRoute({
    ...forMembers,
    method: 'DELETE',
    path: '/api/tenants/:id/invitations/:invitationId',
    summary: 'Revokes an invitation',
    roles: PERMISSIONS.invite.roles,
    params: ByInvitation,
    reply: { 200: Done },
    errors: ['INVITATION_NOT_FOUND', 'INVITATION_NOT_PENDING'],
    handler: async (ctx, { tx, caller, params, request }) => {
      await revoke(ctx, tx, { caller, request, invitationId: params.invitationId })
      return { success: true, message: 'Invitation revoked' }
    },
  }),
]

const NOT_OPEN = [
  'INVITATION_NOT_FOUND',
  'INVITATION_EXPIRED',
  'INVITATION_REVOKED',
  'INVITATION_ALREADY_ACCEPTED',
  'TENANT_SUSPENDED',
] as const

const receiving = [
  defineRoute({
    method: 'GET',
    path: '/api/invitations/:token',
    tag,
    summary: 'Shows an open invitation to whoever has its link',
    caller: 'anyone',
    params: ByToken,
    reply: { 200: ShownInvitation },
    errors: [...NOT_OPEN],
    handler: (ctx, { params }) => showInvitation(ctx, params.token),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/invitations/:token/accept',
    tag,
    summary: 'Accepts an invitation, signed in to the account it is for, or with a password for a new one',
    caller: 'visitor',
    params: ByToken,
    body: Type.Optional(AcceptRequest),
    reply: { 200: Accepted },
    errors: [
      ...NOT_OPEN,
      'INVITATION_EMAIL_MISMATCH',
      'EMAIL_NOT_VERIFIED',
      'WEAK_PASSWORD',
      'ALREADY_MEMBER',
      'RATE_LIMITED',
    ],
    handler: async (ctx, { caller, params, body, request }) => {
      const acceptance = { token: params.token, userId: caller?.userId, body, request }
      const { tenantId, tenantName } = await accept(ctx, acceptance)
      return { success: true, tenantId, tenantName }
    },
  }),
]

export const invitationsRoutes = [...sending, ...receiving]
