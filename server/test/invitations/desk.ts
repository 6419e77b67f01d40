import { randomBytes } from 'node:crypto'
import { type Answer, call, type Somebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { type Host, newHost } from './guests.ts'

/** What tests of the invitations' routes ask for, and what they find in the database. */

export const DAY = 86_400_000

/** A host with a tenant that no other test meets. */
export const openHouse = (service: TestService): Promise<Host> =>
  newHost(service, { tenantName: `House ${randomBytes(5).toString('hex')}` })

export const look = ({ url }: TestService, token: string): Promise<Answer> =>
  call(`${url}/api/invitations/${token}`, { method: 'GET' })

/** Accepts as whoever holds the access token: nobody, when there is none. */
export const accept = (
  { url }: TestService,
  token: string,
  { body = {}, as }: { body?: object; as?: Somebody } = {},
): Promise<Answer> =>
  call(`${url}/api/invitations/${token}/accept`, {
    method: 'POST',
    body,
    headers: as ? { authorization: `Bearer ${as.tokens.access_token}` } : {},
  })

/** Calls a route below a host's tenant with a token that is good now, however far the clock has gone. */
export async function callNow(
  { url }: TestService,
  { somebody, tenant }: Host,
  { method = 'GET', path, body }: { method?: string; path: string; body?: unknown },
): Promise<Answer> {
  const { tokens } = await somebody.signInElsewhere()
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  return call(`${url}/api/tenants/${tenant.id}${path}`, { method, body, headers })
}

export interface Listed {
  id: string
  email: string
  status: string
  user: { email: string }
}

export const invitationsIn = async (service: TestService, host: Host, status: string): Promise<string[]> => {
  const { body } = await callNow(service, host, { path: `/invitations?status=${status}` })
  return (body.invitations as Listed[]).map(({ id }) => id)
}

/** The addresses of the members a query finds, and how many there are said to be. */
export async function membersIn(service: TestService, host: Host, query = '') {
  const { body } = await callNow(service, host, { path: `/members?limit=100${query}` })
  const { total } = body.pagination as { total: number }
  return { total, members: body.members as Listed[] }
}

export const findUser = ({ ctx }: TestService, email: string) =>
  ctx.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()

export const findInvitation = ({ ctx }: TestService, id: string) =>
  ctx.db.selectFrom('invitations').selectAll().where('id', '=', id).executeTakeFirst()

export const membershipsOf = ({ ctx }: TestService, userId: string) =>
  ctx.db
    .selectFrom('memberships')
    .select(['id', 'tenant_id', 'role', 'status'])
    .where('user_id', '=', userId)
    .execute()

/** What the log tells of one kind about a tenant. */
export const entriesIn = ({ ctx }: TestService, { tenant }: Host, action: string) =>
  ctx.db
    .selectFrom('audit_entries')
    .selectAll()
    .where('tenant_id', '=', tenant.id)
    .where('action', '=', action)
    .orderBy('id')
    .execute()
