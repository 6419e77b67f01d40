import { toAuditSource } from '../../audit/record.ts'
import type { Caller } from '../../http/routing/callers.ts'
import { defineRoute } from '../../http/routing/define-route.ts'
import { ActionResult } from '../../http/routing/schema.ts'
import { requireAnyField } from '../../lib/field-validation.ts'
import { MemberPage, MemberQuery, UpdatedMember, UpdateMemberRequest } from '../members/schema.ts'
import { changeMember, getMemberPage, removeMember, toChangedMember } from '../members/service.ts'
import { ByTenant } from '../schema.ts'
import { removeTenant } from '../service.ts'
import { withTenantAsOperator } from '../tenant-scope.ts'
import { addMember, getMemberOf, getUser } from './add-member.ts'
import { createAdministeredTenant, type Invite } from './creation.ts'
import {
  AddMemberRequest,
  ByMember,
  CreateAdminTenantRequest,
  CreatedAdminTenant,
  TenantPage,
  TenantQuery,
  UpdateAdminTenantRequest,
} from './schema.ts'
import { getAdministeredTenant, getTenantPage, updateAdministeredTenant } from './service.ts'
import { AdminTenant } from './tenant-body.ts'

const common = { tag: 'Administration', caller: 'administrator' } as const

interface TenantRequest {
  caller: Caller
  params: { id: string }
}
const toRead = ({ caller, params }: TenantRequest) => ({ caller, tenantId: params.id, readOnly: true })
const toWrite = ({ caller, params }: TenantRequest) => ({ caller, tenantId: params.id, readOnly: false })

/** A tenant that an operator creates may start with an invitation of its owner. */
const creationRoute = (invite: Invite) =>
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/admin/tenants',
    operationId: 'adminCreateTenant',
    summary: 'Creates a tenant; its owner is an existing user, is invited, or is added later',
    body: CreateAdminTenantRequest,
    reply: { 201: CreatedAdminTenant },
    errors: ['SLUG_TAKEN', 'USER_NOT_FOUND', 'RATE_LIMITED'],
    idempotent: true,
    handler: (ctx, { caller, body, request }) => createAdministeredTenant(ctx, { caller, body, request, invite }),
  })

const tenants = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/tenants',
    operationId: 'adminListTenants',
    summary: 'Lists the tenants of the instance',
    query: TenantQuery,
    reply: { 200: TenantPage },
    handler: (ctx, { query }) => getTenantPage(ctx, query),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/tenants/:id',
    operationId: 'adminGetTenant',
    summary: 'Shows a tenant',
    params: ByTenant,
    reply: { 200: AdminTenant },
    errors: ['TENANT_NOT_FOUND'],
    handler: (ctx, input) =>
      withTenantAsOperator(ctx, toRead(input), (tx, { tenantId }) => getAdministeredTenant(tx, tenantId)),
  }),
  defineRoute({
    ...common,
    method: 'PATCH',
    path: '/api/admin/tenants/:id',
    operationId: 'adminUpdateTenant',
    summary: 'Changes a tenant, suspends it or ends its suspension',
    params: ByTenant,
    body: UpdateAdminTenantRequest,
    reply: { 200: AdminTenant },
    errors: ['TENANT_NOT_FOUND', 'SLUG_TAKEN'],
    handler: (ctx, input) =>
      withTenantAsOperator(ctx, toWrite(input), (tx, { tenantId: id }) =>
        updateAdministeredTenant(ctx, tx, {
          id,
          change: input.body,
          source: toAuditSource(input.caller, input.request),
        }),
      ),
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/admin/tenants/:id',
    operationId: 'adminDeleteTenant',
    summary: 'Deletes a tenant with all its data',
    params: ByTenant,
    reply: { 200: ActionResult },
    errors: ['TENANT_NOT_FOUND'],
    handler: async (ctx, input) => {
      await withTenantAsOperator(ctx, toWrite(input), (tx, { tenantId: id }) =>
        removeTenant(ctx, tx, { id, source: toAuditSource(input.caller, input.request) }),
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
    operationId: 'adminListMembers',
    summary: 'Lists the members of a tenant',
    params: ByTenant,
    query: MemberQuery,
    reply: { 200: MemberPage },
    errors: ['TENANT_NOT_FOUND'],
    handler: (ctx, input) =>
      withTenantAsOperator(ctx, toRead(input), (tx, { tenantId }) =>
        getMemberPage(ctx, tx, { tenantId, query: input.query }),
      ),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/admin/tenants/:id/members',
    operationId: 'adminAddMember',
    summary: 'Adds a member without an invitation',
    params: ByTenant,
    body: AddMemberRequest,
    reply: { 201: UpdatedMember },
    errors: ['TENANT_NOT_FOUND', 'USER_NOT_FOUND', 'ALREADY_MEMBER', 'INVITATION_PENDING'],
    handler: (ctx, input) =>
      withTenantAsOperator(ctx, toWrite(input), async (tx, operator) => {
        const { body, request } = input
        const user = await getUser(tx, body.userId)
        const addition = { operator, user, role: body.role, field: 'userId', request }
        return toChangedMember(await addMember(ctx, tx, addition))
      }),
  }),
  defineRoute({
    ...common,
    method: 'PATCH',
    path: '/api/admin/tenants/:id/members/:userId',
    operationId: 'adminUpdateMember',
    summary: 'Changes the role of a member, or suspends or reactivates the member',
    params: ByMember,
    body: UpdateMemberRequest,
    reply: { 200: UpdatedMember },
    errors: ['TENANT_NOT_FOUND', 'MEMBER_NOT_FOUND', 'LAST_OWNER', 'INVITATION_PENDING'],
    handler: (ctx, input) =>
      withTenantAsOperator(ctx, toWrite(input), async (tx, caller) => {
        const { params, body: change, request } = input
        requireAnyField(change)
        const key = { tenantId: caller.tenantId, userId: params.userId }
        const { id: membershipId } = await getMemberOf(ctx, tx, key)
        return toChangedMember(await changeMember(ctx, tx, { caller, membershipId, request, change }))
      }),
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/admin/tenants/:id/members/:userId',
    operationId: 'adminRemoveMember',
    summary: 'Removes a member',
    params: ByMember,
    reply: { 200: ActionResult },
    errors: ['TENANT_NOT_FOUND', 'MEMBER_NOT_FOUND', 'LAST_OWNER'],
    handler: async (ctx, input) => {
      await withTenantAsOperator(ctx, toWrite(input), async (tx, caller) => {
        const { params, request } = input
        const key = { tenantId: caller.tenantId, userId: params.userId }
        const { id: membershipId } = await getMemberOf(ctx, tx, key)
        await removeMember(ctx, tx, { caller, membershipId, request })
      })
      return { success: true, message: 'Member removed' }
    },
  }),
]

export const tenantAdministrationRoutes = (invite: Invite) => [...tenants, creationRoute(invite), ...members]
