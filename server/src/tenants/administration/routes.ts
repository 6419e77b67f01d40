import { sourceOf } from '../../audit/record.ts'
import type { Caller } from '../../http/callers.ts'
import { defineRoute } from '../../http/define-route.ts'
import { Done } from '../../http/schema.ts'
import { refuseNothing } from '../../lib/problems.ts'
import { ChangedMember, MemberChangeRequest, MemberPage, MemberQuery } from '../members/schema.ts'
import { changeMember, pageOfMembers, removeMember, toChanged } from '../members/service.ts'
import { ByTenant } from '../schema.ts'
import { removeTenant } from '../service.ts'
import { asOperator } from '../wall.ts'
import { addMember, getMemberOf, getUser } from './members.ts'
import { AdministeredTenantChange, ByMember, NewMemberRequest, TenantPage, TenantQuery } from './schema.ts'
import { alterTenant, pageOfTenants, showTenant } from './service.ts'
import { AdministeredTenant } from './tenant-body.ts'

const common = { tag: 'Administration', caller: 'administrator' } as const

/** What a request looks at or changes. */
interface Visit {
  caller: Caller
  params: { id: string }
}
const looking = ({ caller, params }: Visit) => ({ caller, tenantId: params.id, readOnly: true })
const changing = ({ caller, params }: Visit) => ({ caller, tenantId: params.id, readOnly: false })

const tenants = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/tenants',
    summary: 'Lists the tenants of the instance',
    query: TenantQuery,
    reply: { 200: TenantPage },
    handler: (ctx, { query }) => pageOfTenants(ctx, query),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/tenants/:id',
    summary: 'Shows a tenant',
    params: ByTenant,
    reply: { 200: AdministeredTenant },
    errors: ['TENANT_NOT_FOUND'],
    handler: (ctx, input) => asOperator(ctx, looking(input), (tx, { tenantId }) => showTenant(tx, tenantId)),
  }),
  defineRoute({
    ...common,
    method: 'PATCH',
    path: '/api/admin/tenants/:id',
    summary: 'Changes a tenant, suspends it or ends its suspension',
    params: ByTenant,
    body: AdministeredTenantChange,
    reply: { 200: AdministeredTenant },
    errors: ['TENANT_NOT_FOUND', 'SLUG_TAKEN'],
    handler: (ctx, input) =>
      asOperator(ctx, changing(input), (tx, { tenantId: id }) =>
        alterTenant(ctx, tx, { id, change: input.body, source: sourceOf(input.caller, input.request) }),
      ),
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/admin/tenants/:id',
    summary: 'Deletes a tenant with everything that is its own',
    params: ByTenant,
    reply: { 200: Done },
    errors: ['TENANT_NOT_FOUND'],
    handler: async (ctx, input) => {
      await asOperator(ctx, changing(input), (tx, { tenantId: id }) =>
        removeTenant(ctx, tx, { id, source: sourceOf(input.caller, input.request) }),
      )
      return { success: true, message: 'Tenant deleted' }
    },
  }),
]

const members = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/tenants/:id/members',
    summary: 'Lists the members of a tenant',
    params: ByTenant,
    query: MemberQuery,
    reply: { 200: MemberPage },
    errors: ['TENANT_NOT_FOUND'],
    handler: (ctx, input) =>
      asOperator(ctx, looking(input), (tx, { tenantId }) =>
        pageOfMembers(ctx, tx, { tenantId, query: input.query }),
      ),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/admin/tenants/:id/members',
    summary: 'Makes somebody a member without an invitation',
    params: ByTenant,
    body: NewMemberRequest,
    reply: { 201: ChangedMember },
    errors: ['TENANT_NOT_FOUND', 'USER_NOT_FOUND', 'ALREADY_MEMBER', 'INVITATION_PENDING'],
    handler: (ctx, input) =>
      asOperator(ctx, changing(input), async (tx, operator) => {
        const { body, request } = input
        const user = await getUser(tx, body.userId)
        const addition = { operator, user, role: body.role, field: 'userId', request }
        return toChanged(await addMember(ctx, tx, addition))
      }),
  }),
  defineRoute({
    ...common,
    method: 'PATCH',
    path: '/api/admin/tenants/:id/members/:userId',
    summary: 'Gives a member another role, or suspends or reactivates them',
    params: ByMember,
    body: MemberChangeRequest,
    reply: { 200: ChangedMember },
    errors: ['TENANT_NOT_FOUND', 'MEMBER_NOT_FOUND', 'LAST_OWNER', 'INVITATION_PENDING'],
    handler: (ctx, input) =>
      asOperator(ctx, changing(input), async (tx, caller) => {
        const { params, body: change, request } = input
        refuseNothing(change)
        const place = { tenantId: caller.tenantId, userId: params.userId }
        const { id: membershipId } = await getMemberOf(ctx, tx, place)
        return toChanged(await changeMember(ctx, tx, { caller, membershipId, request, change }))
      }),
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/admin/tenants/:id/members/:userId',
    summary: 'Removes a member',
    params: ByMember,
    reply: { 200: Done },
    errors: ['TENANT_NOT_FOUND', 'MEMBER_NOT_FOUND', 'LAST_OWNER'],
    handler: async (ctx, input) => {
      await asOperator(ctx, changing(input), async (tx, caller) => {
        const { params, request } = input
        const place = { tenantId: caller.tenantId, userId: params.userId }
        const { id: membershipId } = await getMemberOf(ctx, tx, place)
        await removeMember(ctx, tx, { caller, membershipId, request })
      })
      return { success: true, message: 'Member removed' }
    },
  }),
]

export const tenantAdministrationRoutes = [...tenants, ...members]
