import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { client } from './account.ts'
import { OPS } from './admin.ts'
import { call, refusal } from './calls.ts'
import { mailTo } from './mail.ts'
import { bearer, getTokens, introspect, refresh, type Tokens, userinfo } from './oauth.ts'
import { newConfirmedPerson, type Person } from './person.ts'
import { type Answer, type Fields, unique } from './service.ts'

type Headers = Record<string, string>

export type Role = 'owner' | 'admin' | 'member'

export interface Tenant {
  id: string
  name: string
  slug: string
  createdAt: string
}

/** A person with a token that names no tenant: what they may do in one is read from their membership. */
export interface Insider {
  person: Person
  headers: Headers
}

export interface Member extends Insider {
  membershipId: string
  userId: string
}

/** A member as the list shows them. */
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

/** Somebody with a confirmed address, and a token from before they belonged to any tenant. */
export async function newInsider(): Promise<Insider> {
  const person = await newConfirmedPerson()
  const tokens = await getTokens(await person.signIn(), client)
  return { person, headers: bearer(tokens.access_token) }
}

/** A tenant whose owner is whoever the headers speak for. */
export async function newTenant(headers: Headers, name = 'A black-box tenant'): Promise<Tenant> {
  const body = { name, slug: unique('t') }
  return expectStatus(201, await call<Tenant>('POST', '/api/tenants', { headers, body }))
}

/** A tenant of its own for a test, with its owner. */
export async function newOwnedTenant(name?: string): Promise<{ tenant: Tenant; owner: Member }> {
  const insider = await newInsider()
  const tenant = await newTenant(insider.headers, name)
  return { tenant, owner: { ...insider, ...(await findMembership(insider, tenant.id)) } }
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

/** The token of the newest invitation that was mailed to an address. */
export async function invitationTokenFor(email: string, patienceMs = 10_000): Promise<string> {
  const deadline = Date.now() + patienceMs
  while (Date.now() < deadline) {
    for (const { text } of await mailTo(email)) {
      const token = text.match(/\/invitations\/([\w-]+)/)?.[1]
      if (token) return token
    }
    await sleep(50)
  }
  throw new Error(`no invitation has come to ${email}`)
}

/** Invites somebody who has an account, and accepts for them. */
export async function joinTenant(
  ownerHeaders: Headers,
  tenantId: string,
  { person, headers, role }: Insider & { role?: Role },
): Promise<void> {
  await invite(ownerHeaders, tenantId, { email: person.email, ...(role ? { role } : {}) })
  const token = await invitationTokenFor(person.email)
  expectStatus(200, await call('POST', `/api/invitations/${token}/accept`, { headers, body: {} }))
}

/** Somebody new who has joined a tenant. */
export async function newMember(ownerHeaders: Headers, tenantId: string, role?: Role): Promise<Member> {
  const insider = await newInsider()
  await joinTenant(ownerHeaders, tenantId, { ...insider, ...(role ? { role } : {}) })
  return { ...insider, ...(await findMembership(insider, tenantId)) }
}

/** Tokens for one tenant, as an application of ours gets them. */
export const tokensIn = async (
  person: Person,
  { slug }: Pick<Tenant, 'slug'>,
  extra: Fields = {},
): Promise<Tokens> => getTokens(await person.signIn(), client, { tenant: slug, ...extra })

/** Every use of the tokens works. The refresh token is looked at and not used up. */
export async function expectLive({ access_token, refresh_token }: Tokens, tenantId: string): Promise<void> {
  const headers = bearer(access_token)
  expect((await call('GET', `/api/tenants/${tenantId}`, { headers })).status).toBe(200)
  expect((await call('GET', '/api/users/me', { headers })).status).toBe(200)
  expect((await userinfo(access_token)).status).toBe(200)
  for (const token of [access_token, refresh_token]) {
    expect((await introspect(OPS, token)).body).toMatchObject({ active: true })
  }
}

/** No use of the tokens works, at any door. */
export async function expectDead({ access_token, refresh_token }: Tokens, tenantId: string): Promise<void> {
  const headers = bearer(access_token)
  for (const path of [
    '/api/tenants',
    `/api/tenants/${tenantId}`,
    `/api/tenants/${tenantId}/members`,
    '/api/users/me',
  ]) {
    const answer = await call('GET', path, { headers })
    expect(answer.status, path).toBe(401)
    expect(answer.body, path).toEqual(refusal(401, 'UNAUTHORIZED'))
  }
  expect((await userinfo(access_token)).status).toBe(401)
  for (const token of [access_token, refresh_token]) {
    expect((await introspect(OPS, token)).body).toEqual({ active: false })
  }
  const refreshed = await refresh(client, refresh_token)
  expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect(refreshed.body).not.toHaveProperty('access_token')
}

export const listMembers = async (headers: Headers, tenantId: string, query = ''): Promise<MemberPage> =>
  expectStatus(200, await call<MemberPage>('GET', `/api/tenants/${tenantId}/members${query}`, { headers }))

/** What somebody sees of their own membership. */
async function findMembership({ person, headers }: Insider, tenantId: string) {
  const { members } = await listMembers(headers, tenantId, '?limit=100')
  const own = members.find(({ user }) => user.email === person.email)
  if (!own) throw new Error(`${person.email} is not among the members of ${tenantId}`)
  return { membershipId: own.id, userId: own.userId }
}

function expectStatus<Body>(status: number, answer: Answer<Body>): Body {
  if (answer.status !== status) {
    throw new Error(`${answer.status} instead of ${status}: ${JSON.stringify(answer.body)}`)
  }
  return answer.body
}
