import { defineRoute } from '../../http/define-route.ts'
import { Done } from '../../http/schema.ts'
import { refuseNothing } from '../../lib/problems.ts'
import { PERMISSIONS } from '../permissions.ts'
import { ByTenant } from '../schema.ts'
import { ByMembership, ChangedMember, MemberChangeRequest, MemberPage, MemberQuery } from './schema.ts'
import { changeMember, pageOfMembers, removeMember, toChanged } from './service.ts'

const common = { tag: 'Tenants', caller: 'member' } as const

export const memberRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/tenants/:id/members',
    summary: 'Lists the members of a tenant',
    roles: PERMISSIONS.readMembers.roles,
    params: ByTenant,
    query: MemberQuery,
    reply: { 200: MemberPage },
    handler: (ctx, { tx, caller, query }) => pageOfMembers(ctx, tx, { tenantId: caller.tenantId, query }),
  }),
  defineRoute({
    ...common,
    method: 'PATCH',
    path: '/api/tenants/:id/members/:membershipId',
    summary: 'Gives a member another role, or suspends or reactivates them',
    roles: PERMISSIONS.changeMembers.roles,
    params: ByMembership,
    body: MemberChangeRequest,
    reply: { 200: ChangedMember },
    errors: ['MEMBER_NOT_FOUND', 'LAST_OWNER', 'INVITATION_PENDING'],
    handler: async (ctx, { tx, caller, params, body, request }) => {
      refuseNothing(body)
      const { membershipId } = params
      return toChanged(await changeMember(ctx, tx, { caller, membershipId, request, change: body }))
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/tenants/:id/members/:membershipId',
    summary: 'Removes a member; their own membership anybody may end',
    roles: PERMISSIONS.removeMembers.roles,
    // Anybody may leave.
    checksFactor: true,
    params: ByMembership,
    reply: { 200: Done },
    errors: ['MEMBER_NOT_FOUND', 'LAST_OWNER'],
    handler: async (ctx, { tx, caller, params, request }) => {
      await removeMember(ctx, tx, { caller, membershipId: params.membershipId, request })
      return { success: true, message: 'Member removed' }
    },
  }),
]
