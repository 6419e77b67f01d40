import { randomBytes } from 'node:crypto'
import { mailTo, newSomebody, type Somebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'

/** Somebody with a tenant of their own, to which they invite others. */
export interface Host {
  somebody: Somebody
  tenant: { id: string; name: string; slug: string }
  invite(guest?: { email?: string; role?: 'owner' | 'admin' | 'member' }): Promise<Invited>
  /** Calls a route below the tenant. */
  call(method: string, path: string): Promise<void>
}

export interface Invited {
  id: string
  email: string
  token: string
  /** The page that the mail leads to. */
  path: string
}

/** Before and after, as `outcomeOf` tells it. */
export const OPEN = { invitation: 'PENDING', member: 'INVITED' }
export const JOINED = { invitation: 'ACCEPTED', member: 'ACTIVE' }

/** What somebody fills in who has no account yet. */
export const NEWCOMER = { givenName: 'Greta', familyName: 'Guest', password: 'a harbour full of boats' }

export const unusedAddress = (): string => `guest-${randomBytes(5).toString('hex')}@people.test`

export async function newHost(
  service: TestService,
  { tenantName, ...traits }: { tenantName: string } & Record<string, unknown>,
): Promise<Host> {
  const somebody = await newSomebody(service, traits)
  const { body: tenant } = await send(somebody, 'POST', '/api/tenants', { name: tenantName })
  const path = `/api/tenants/${tenant.id}`
  return {
    somebody,
    tenant: tenant as unknown as Host['tenant'],
    async invite({ email = unusedAddress(), role = 'member' } = {}) {
      const { body } = await send(somebody, 'POST', `${path}/invitations`, { email, role })
      const token = await mailedToken(service, email)
      return { id: String(body.id), email, token, path: `/invitations/${token}` }
    },
    call: async (method, below) => void (await send(somebody, method, path + below)),
  }
}

async function send(somebody: Somebody, method: string, path: string, body?: object) {
  const answer = await somebody.call(method, path, body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer
}

/** The link of the newest invitation to an address. */
export async function mailedToken(service: TestService, email: string): Promise<string> {
  const mails = await mailTo(service, email)
  const links = mails.map(({ text }) => /\/invitations\/([\w-]+)/.exec(text)?.[1])
  const token = links.find((link) => link !== undefined)
  if (token === undefined) throw new Error(`no invitation was mailed to ${email}`)
  return token
}

/** What has become of an invitation, and of whoever it is for in the tenant. */
export async function outcomeOf({ ctx }: TestService, { tenant }: Host, { id, email }: Invited) {
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
