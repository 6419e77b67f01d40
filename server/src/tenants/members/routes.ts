import { defineRoute } from '../../http/routing/define-route.ts'
import { ActionResult } from '../../http/routing/schema.ts'
import { requireAnyField } from '../../lib/field-validation.ts'
import { PERMISSIONS } from '../permissions.ts'
import { ByTenant } from '../schema.ts'
import { ByMembership, MemberPage, MemberQuery, UpdatedMember, UpdateMemberRequest } from './schema.ts'
import { changeMember, getMemberPage, removeMember, toChangedMember } from './service.ts'

const common = { tag: 'Tenants', caller: 'member' } as const

export const memberRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/tenants/:id/members',
    operationId: 'listMembers',
    summary: 'Lists the members of a tenant',
    roles: PERMISSIONS.readMembers.roles,
    params: ByTenant,
    query: MemberQuery,
    reply: { 200: MemberPage },
    handler: (ctx, { tx, caller, query }) => getMemberPage(ctx, tx, { tenantId: caller.tenantId, query }),
  }),
  defineRoute({
    ...common,
    method: 'PATCH',
    path: '/api/tenants/:id/members/:membershipId',
    operationId: 'updateMember',
    summary: 'Changes the role of a member, or suspends or reactivates the member',
    roles: PERMISSIONS.changeMembers.roles,
    params: ByMembership,
    body: UpdateMemberRequest,
    reply: { 200: UpdatedMember },
    errors: ['MEMBER_NOT_FOUND', 'LAST_OWNER', 'INVITATION_PENDING'],
    handler: async (ctx, { tx, caller, params, body, request }) => {
      requireAnyField(body)
      const { membershipId } = params
      return toChangedMember(await changeMember(ctx, tx, { caller, membershipId, request, change: body }))
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/tenants/:id/members/:membershipId',
    operationId: 'removeMember',
    summary: 'Removes a member; every member may remove their own membership',
    roles: PERMISSIONS.removeMembers.roles,
    // A member without a second factor may still leave, so the handler checks the factor.
    checksFactor: true,
    params: ByMembership,
    reply: { 200: ActionResult },
    errors: ['MEMBER_NOT_FOUND', 'LAST_OWNER'],
    handler: async (ctx, { tx, caller, params, request }) => {
      await removeMember(ctx, tx, { caller, membershipId: params.membershipId, request })
      return { success: true, message: 'Member removed' }
    },
  }),
]
