import { randomBytes } from 'node:crypto'
import { createSignedInUser, listMailTo, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'

/** A user with a tenant, who invites others to it. */
export interface Host {
  user: TestUser
  tenant: { id: string; name: string; slug: string }
  invite(guest?: { email?: string; role?: 'owner' | 'admin' | 'member' }): Promise<SentInvitation>
  /** Calls a route of the tenant. */
  call(method: string, path: string): Promise<void>
}

export interface SentInvitation {
  id: string
  email: string
  token: string
  /** The page of the mailed link. */
  path: string
}

/** The results of `outcomeOf` before and after acceptance. */
export const OPEN = { invitation: 'PENDING', member: 'INVITED' }
export const JOINED = { invitation: 'ACCEPTED', member: 'ACTIVE' }

/** The form of a person without an account. */
export const NEW_USER = { givenName: 'Greta', familyName: 'Guest', password: 'a harbour full of boats' }

export const unusedAddress = (): string => `guest-${randomBytes(5).toString('hex')}@people.test`

export async function createNamedHost(
  service: TestService,
  { tenantName, ...traits }: { tenantName: string } & Record<string, unknown>,
): Promise<Host> {
  const user = await createSignedInUser(service, traits)
  const { body: tenant } = await send(user, 'POST', '/api/tenants', { name: tenantName })
  const path = `/api/tenants/${tenant.id}`
  return {
    user,
    tenant: tenant as unknown as Host['tenant'],
    async invite({ email = unusedAddress(), role = 'member' } = {}) {
      const { body } = await send(user, 'POST', `${path}/invitations`, { email, role })
      const token = await mailedToken(service, email)
      return { id: String(body.id), email, token, path: `/invitations/${token}` }
    },
    call: async (method, subpath) => void (await send(user, method, path + subpath)),
  }
}

async function send(user: TestUser, method: string, path: string, body?: object) {
  const answer = await user.call(method, path, body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer
}

/** The token of the newest invitation to an address. */
export async function mailedToken(service: TestService, email: string): Promise<string> {
  const mails = await listMailTo(service, email)
  const links = mails.map(({ text }) => /\/invitations\/([\w-]+)/.exec(text)?.[1])
  const token = links.find((link) => link !== undefined)
  if (token === undefined) throw new Error(`no invitation was mailed to ${email}`)
  return token
}

/** The status of an invitation, and the membership of the invited person. */
export async function outcomeOf({ ctx }: TestService, { tenant }: Host, { id, email }: SentInvitation) {
  const { status } = await ctx.db
    .selectFrom('invitations')
    .select('status')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const members = await ctx.db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.email', 'memberships.role', 'memberships.status'])
    .where('tenant_id', '=', tenant.id)
    .where('memberships.role', '!=', 'owner')
    .execute()
  const own = members.find((member) => member.email === email)
  return { invitation: status, member: own?.status, role: own?.role, members: members.length }
}
