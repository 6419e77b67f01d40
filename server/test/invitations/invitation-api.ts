import { randomBytes } from 'node:crypto'
import { type ApiResponse, call, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { createNamedHost, type Host } from './hosts.ts'

/** Calls of the invitation routes, and queries for their results in the database. */

export const DAY_MS = 86_400_000

/** A host with a tenant of its own. */
export const createHost = (service: TestService): Promise<Host> =>
  createNamedHost(service, { tenantName: `House ${randomBytes(5).toString('hex')}` })

export const getInvitation = ({ url }: TestService, token: string): Promise<ApiResponse> =>
  call(`${url}/api/invitations/${token}`, { method: 'GET' })

/** Accepts as the user `as`, or without authentication. */
export const acceptInvitation = (
  { url }: TestService,
  token: string,
  { body = {}, as }: { body?: object; as?: TestUser } = {},
): Promise<ApiResponse> =>
  call(`${url}/api/invitations/${token}/accept`, {
    method: 'POST',
    body,
    headers: as ? { authorization: `Bearer ${as.tokens.access_token}` } : {},
  })

/** Calls a route of the host's tenant with a new token, because the clock may have been advanced. */
export async function callTenantRoute(
  { url }: TestService,
  { user, tenant }: Host,
  { method = 'GET', path, body }: { method?: string; path: string; body?: unknown },
): Promise<ApiResponse> {
  const { tokens } = await user.signInAgain()
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  return call(`${url}/api/tenants/${tenant.id}${path}`, { method, body, headers })
}

export interface ListedItem {
  id: string
  email: string
  status: string
  user: { email: string }
}

export const listInvitationIds = async (service: TestService, host: Host, status: string): Promise<string[]> => {
  const { body } = await callTenantRoute(service, host, { path: `/invitations?status=${status}` })
  return (body.invitations as ListedItem[]).map(({ id }) => id)
}

/** The members that a query returns, and the reported total. */
export async function listMembers(service: TestService, host: Host, query = '') {
  const { body } = await callTenantRoute(service, host, { path: `/members?limit=100${query}` })
  const { total } = body.pagination as { total: number }
  return { total, members: body.members as ListedItem[] }
}

export const findUser = ({ ctx }: TestService, email: string) =>
  ctx.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()

export const findInvitation = ({ ctx }: TestService, id: string) =>
  ctx.db.selectFrom('invitations').selectAll().where('id', '=', id).executeTakeFirst()

export const membershipsOf = ({ ctx }: TestService, userId: string) =>
  ctx.db.selectFrom('memberships').select(['id', 'tenant_id', 'role', 'status']).where('user_id', '=', userId).execute()

/** The audit entries of a tenant with this action. */
export const listAuditEntries = ({ ctx }: TestService, { tenant }: Host, action: string) =>
  ctx.db
    .selectFrom('audit_entries')
    .selectAll()
    .where('tenant_id', '=', tenant.id)
    .where('action', '=', action)
    .orderBy('id')
    .execute()
