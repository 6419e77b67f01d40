import type { Role } from '../../src/db/tables.ts'
import { call, createSignedInUser, insertUser, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { admin, authorize, exchange, thirdParty, token } from '../support/world.ts'
import {
  insertBranding,
  insertInvitation,
  insertMailTemplate,
  insertMembership,
  insertTenant,
  insertWebhook,
  type TestTenant,
} from './tenant-rows.ts'

/** Every kind of caller of a tenant route. */
export const CALLERS = [
  'an anonymous caller',
  'a revoked token',
  'a machine of the tenant',
  'a machine of the instance',
  'a third-party application of the owner',
  'a super admin of another tenant',
  'a non-member',
  'an invited user',
  'a suspended owner',
  'a member',
  'an admin',
  'an owner',
] as const
export type CallerName = (typeof CALLERS)[number]

/** The callers who are ACTIVE members. */
export const ROLES: Partial<Record<CallerName, Role>> = {
  'a member': 'member',
  'an admin': 'admin',
  'an owner': 'owner',
}

export interface Caller {
  headers: Record<string, string>
  person?: TestUser
}

/** A tenant and the objects in it. */
export interface TenantFixture {
  company: TestTenant
  /** Ids by the name of the path parameter. */
  ids: Record<string, string>
  /** Values that a refused caller must not see. */
  secrets: string[]
}

export interface CallerFixture {
  callers: Record<CallerName, Caller>
  /** The tenant in which each caller has the membership that its name says. */
  tenant: TenantFixture
}

export async function createCallerFixture(service: TestService): Promise<CallerFixture> {
  const company = await insertTenant(service)
  const newCaller = async (traits: object = {}): Promise<Caller> => {
    // Signing in before there is a membership gives tokens without a tenant, which no lost membership revokes.
    const person = await createSignedInUser(service, traits)
    return { person, ...withBearer(person.tokens.access_token) }
  }
  const [revoked, owner] = [await newCaller(), await newCaller()]
  const callers: CallerFixture['callers'] = {
    'an anonymous caller': { headers: {} },
    'a revoked token': revoked,
    'a machine of the tenant': withBearer(
      await newMachine(service, { tenantId: company.id, scopes: ['licenses:read', 'licenses:write'] }),
    ),
    'a machine of the instance': withBearer(await newMachine(service, { scopes: ['admin'] })),
    'a third-party application of the owner': withBearer(await thirdPartyToken(service, personOf(owner))),
    'a super admin of another tenant': await newCaller({ is_super_admin: true }),
    'a non-member': await newCaller(),
    'an invited user': await newCaller(),
    'a suspended owner': await newCaller(),
    'a member': await newCaller(),
    'an admin': await newCaller(),
    'an owner': owner,
  }
  await insertMemberships(service, company, callers)
  const cookie = personOf(revoked).cookie
  await call(`${service.url}/api/auth/logout`, { method: 'POST', headers: { cookie } })
  return { callers, tenant: await createTenantFixture(service, company) }
}

/** Gives each caller the membership that its name says. The suspended member and the revoked token are of owners. */
async function insertMemberships(
  service: TestService,
  company: TestTenant,
  callers: CallerFixture['callers'],
): Promise<void> {
  for (const name of ['a super admin of another tenant', 'a non-member'] as const) {
    await insertMembership(service, await insertTenant(service), personOf(callers[name]), { role: 'owner' })
  }
  const owner = { role: 'owner' } as const
  await insertMembership(service, company, personOf(callers['a suspended owner']), {
    ...owner,
    status: 'SUSPENDED',
  })
  await insertMembership(service, company, personOf(callers['a revoked token']), owner)
  await insertInvitation(service, company, { ...owner, person: personOf(callers['an invited user']) })
  for (const [name, role] of Object.entries(ROLES)) {
    await insertMembership(service, company, personOf(callers[name as CallerName]), { role })
  }
}

/** Adds the objects that the tenant routes refer to: a member, an invitation, a webhook and a branding. */
export async function createTenantFixture(service: TestService, company: TestTenant): Promise<TenantFixture> {
  const target = await insertUser(service)
  const membershipId = await insertMembership(service, company, target)
  const invitation = await insertInvitation(service, company)
  const webhook = await insertWebhook(service, company)
  const { id: applicationId } = await service.ctx.db
    .selectFrom('applications')
    .select('id')
    .where('slug', '=', 'project-manager')
    .executeTakeFirstOrThrow()
  const displayName = await insertBranding(service, company)
  await insertMailTemplate(service, company)
  const { id, name, slug } = company
  return {
    company,
    ids: {
      id,
      membershipId,
      invitationId: invitation.id,
      webhookId: webhook.id,
      deliveryId: webhook.deliveryId,
      applicationId,
      kind: 'invitation',
    },
    secrets: [
      id,
      name,
      slug,
      membershipId,
      invitation.id,
      target.id,
      target.email,
      invitation.email,
      webhook.id,
      webhook.url,
      webhook.deliveryId,
      displayName,
    ],
  }
}

export const personOf = ({ person }: Caller): TestUser => {
  if (!person) throw new Error('this caller is not a user')
  return person
}

const withBearer = (accessToken: string): Caller => ({ headers: { authorization: `Bearer ${accessToken}` } })

async function newMachine({ url }: TestService, traits: object): Promise<string> {
  const application = await admin<{ id: string }>(url, '/api/admin/applications', { name: 'Back office' })
  const machine = { applicationId: application.id, kind: 'MACHINE', name: 'Back office', ...traits }
  const registered = await admin<{ clientId: string; clientSecret: string }>(url, '/api/admin/clients', machine)
  const { body } = await token(url, {
    grant_type: 'client_credentials',
    client_id: registered.clientId,
    client_secret: registered.clientSecret,
  })
  return body.access_token
}

async function thirdPartyToken({ url, ctx }: TestService, { id, cookie }: TestUser): Promise<string> {
  const { clientId } = await thirdParty(url)
  const { application_id } = await ctx.db
    .selectFrom('clients')
    .select('application_id')
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow()
  const scopes = ['openid', 'profile', 'email', 'offline_access']
  const consent = { user_id: id, application_id, tenant_id: null, scopes, granted_at: ctx.now() }
  await ctx.db.insertInto('consents').values(consent).execute()
  const { answer } = await authorize(url, cookie, { client_id: clientId })
  const { body } = await exchange(url, answer.code, { client_id: clientId })
  if (!body.access_token) throw new Error(`no token: ${JSON.stringify({ answer, body })}`)
  return body.access_token
}
