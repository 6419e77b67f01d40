import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { client } from './account.ts'
import { OPS } from './admin.ts'
import { call, errorBody } from './calls.ts'
import { listMails } from './mail.ts'
import { bearer, getTokens, getUserinfo, introspectToken, refreshTokens, type Tokens } from './oauth.ts'
import { newConfirmedPerson, type Person } from './person.ts'
import { type ApiResponse, type Fields, unique } from './service.ts'

type Headers = Record<string, string>

export type Role = 'owner' | 'admin' | 'member'

export interface Tenant {
  id: string
  name: string
  slug: string
  createdAt: string
}

/** A person with a token without a tenant. Permissions come from memberships. */
export interface Caller {
  person: Person
  headers: Headers
}

export interface Member extends Caller {
  membershipId: string
  userId: string
}

/** A member in the list. */
export interface ListedMember {
  id: string
  userId: string
  status: string
  role: string
  joinedAt: string | null
  user: { email: string; displayName: string; pictureUrl: string | null }
}

export interface MemberPage {
  members: ListedMember[]
  pagination: { page: number; limit: number; total: number; pages: number }
}

/** A person with a confirmed address and a token without a tenant. */
export async function newCaller(): Promise<Caller> {
  const person = await newConfirmedPerson()
  const tokens = await getTokens(await person.signIn(), client)
  return { person, headers: bearer(tokens.access_token) }
}

/** Creates a tenant whose owner is the caller. */
export async function newTenant(headers: Headers, name = 'A black-box tenant'): Promise<Tenant> {
  const body = { name, slug: unique('t') }
  return expectStatus(201, await call<Tenant>('POST', '/api/tenants', { headers, body }))
}

/** A new tenant with its owner. */
export async function newOwnedTenant(name?: string): Promise<{ tenant: Tenant; owner: Member }> {
  const caller = await newCaller()
  const tenant = await newTenant(caller.headers, name)
  return { tenant, owner: { ...caller, ...(await getMembership(caller, tenant.id)) } }
}

/** Invites an address and returns the id of the invitation. */
export async function invite(
  headers: Headers,
  tenantId: string,
  { email, role }: { email: string; role?: Role },
): Promise<string> {
  const path = `/api/tenants/${tenantId}/invitations`
  const body = { email, ...(role ? { role } : {}) }
  return expectStatus(201, await call<{ id: string }>('POST', path, { headers, body })).id
}

/** Waits for an invitation mail and returns the newest token. */
export async function waitForInvitationToken(email: string, timeoutMs = 10_000): Promise<string> {
  const deadline = Date.now() + timeoutMs
  while (Date.now() < deadline) {
    for (const { text } of await listMails(email)) {
      const token = text.match(/\/invitations\/([\w-]+)/)?.[1]
      if (token) return token
    }
    await sleep(50)
  }
  throw new Error(`no invitation was mailed to ${email}`)
}

/** Invites an existing person and accepts for them. */
export async function joinTenant(
  ownerHeaders: Headers,
  tenantId: string,
  { person, headers, role }: Caller & { role?: Role },
): Promise<void> {
  await invite(ownerHeaders, tenantId, { email: person.email, ...(role ? { role } : {}) })
  const token = await waitForInvitationToken(person.email)
  expectStatus(200, await call('POST', `/api/invitations/${token}/accept`, { headers, body: {} }))
}

/** A new person who is a member of the tenant. */
export async function newMember(ownerHeaders: Headers, tenantId: string, role?: Role): Promise<Member> {
  const caller = await newCaller()
  await joinTenant(ownerHeaders, tenantId, { ...caller, ...(role ? { role } : {}) })
  return { ...caller, ...(await getMembership(caller, tenantId)) }
}

/** Tokens for one tenant, issued to a trusted client. */
export const getTenantTokens = async (
  person: Person,
  { slug }: Pick<Tenant, 'slug'>,
  extra: Fields = {},
): Promise<Tokens> => getTokens(await person.signIn(), client, { tenant: slug, ...extra })

/** Expects that the tokens work everywhere. The refresh token is introspected, not used. */
export async function expectActiveTokens({ access_token, refresh_token }: Tokens, tenantId: string): Promise<void> {
  const headers = bearer(access_token)
  expect((await call('GET', `/api/tenants/${tenantId}`, { headers })).status).toBe(200)
  expect((await call('GET', '/api/users/me', { headers })).status).toBe(200)
  expect((await getUserinfo(access_token)).status).toBe(200)
  for (const token of [access_token, refresh_token]) {
    expect((await introspectToken(OPS, token)).body).toMatchObject({ active: true })
  }
}

/** Expects that the tokens are refused everywhere. */
export async function expectRevokedTokens({ access_token, refresh_token }: Tokens, tenantId: string): Promise<void> {
  const headers = bearer(access_token)
  for (const path of [
    '/api/tenants',
    `/api/tenants/${tenantId}`,
    `/api/tenants/${tenantId}/members`,
    '/api/users/me',
  ]) {
    const response = await call('GET', path, { headers })
    expect(response.status, path).toBe(401)
    expect(response.body, path).toEqual(errorBody(401, 'UNAUTHORIZED'))
  }
  expect((await getUserinfo(access_token)).status).toBe(401)
  for (const token of [access_token, refresh_token]) {
    expect((await introspectToken(OPS, token)).body).toEqual({ active: false })
  }
  const refreshed = await refreshTokens(client, refresh_token)
  expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect(refreshed.body).not.toHaveProperty('access_token')
}

export const listMembers = async (headers: Headers, tenantId: string, query = ''): Promise<MemberPage> =>
  expectStatus(200, await call<MemberPage>('GET', `/api/tenants/${tenantId}/members${query}`, { headers }))

/** The own membership of a caller. */
async function getMembership({ person, headers }: Caller, tenantId: string) {
  const { members } = await listMembers(headers, tenantId, '?limit=100')
  const membership = members.find(({ user }) => user.email === person.email)
  if (!membership) throw new Error(`${person.email} is not a member of ${tenantId}`)
  return { membershipId: membership.id, userId: membership.userId }
}

function expectStatus<Body>(status: number, response: ApiResponse<Body>): Body {
  if (response.status !== status) {
    throw new Error(`${response.status} instead of ${status}: ${JSON.stringify(response.body)}`)
  }
  return response.body
}
