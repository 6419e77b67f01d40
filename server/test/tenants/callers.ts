import type { Role } from '../../src/db/tables.ts'
import { addPerson, call, newSomebody, type Somebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { admin, authorize, exchange, thirdParty, token } from '../support/world.ts'
import { type Company, decorate, employ, hookUp, inviteTo, newCompany } from './company.ts'

/** Everybody who may knock at a door of a tenant. */
export const CALLERS = [
  ...['nobody', 'a dead token', 'a machine of the tenant', 'a machine of the instance'],
  ...['a third-party application of the owner', 'a super admin of another tenant', 'an outsider'],
  ...['somebody invited', 'a suspended owner', 'a member', 'an admin', 'an owner'],
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
  person?: Somebody
}

/** A tenant and what is in it. */
export interface Place {
  company: Company
  /** Ids by the name of the parameter. */
  ids: Record<string, string>
  /** What nobody who is refused may get to see. */
  secrets: string[]
}

export interface Cast {
  callers: Record<CallerName, Caller>
  /** Where everybody has the place that their name says. */
  standing: Place
}

export async function gather(service: TestService): Promise<Cast> {
  const company = await newCompany(service)
  const newCaller = async (traits: object = {}): Promise<Caller> => {
    // They sign in while they belong nowhere, so that their tokens are of no tenant and outlive every place they lose.
    const person = await newSomebody(service, traits)
    return { person, ...bearing(person.tokens.access_token) }
  }
  const [dead, owner] = [await newCaller(), await newCaller()]
  const callers: Cast['callers'] = {
    nobody: { headers: {} },
    'a dead token': dead,
    'a machine of the tenant': bearing(
      await newMachine(service, { tenantId: company.id, scopes: ['licenses:read', 'licenses:write'] }),
    ),
    'a machine of the instance': bearing(await newMachine(service, { scopes: ['admin'] })),
    'a third-party application of the owner': bearing(await thirdPartyToken(service, personOf(owner))),
    'a super admin of another tenant': await newCaller({ is_super_admin: true }),
    'an outsider': await newCaller(),
    'somebody invited': await newCaller(),
    'a suspended owner': await newCaller(),
    'a member': await newCaller(),
    'an admin': await newCaller(),
    'an owner': owner,
  }
  await settle(service, company, callers)
  const cookie = personOf(dead).cookie
  await call(`${service.url}/api/auth/logout`, { method: 'POST', headers: { cookie } })
  return { callers, standing: await furnish(service, company) }
}

/** Gives everybody the place that their name says. Who has no say any more had the most of it. */
async function settle(service: TestService, company: Company, callers: Cast['callers']): Promise<void> {
  for (const name of ['a super admin of another tenant', 'an outsider'] as const) {
    await employ(service, await newCompany(service), personOf(callers[name]), { role: 'owner' })
  }
  const owner = { role: 'owner' } as const
  await employ(service, company, personOf(callers['a suspended owner']), { ...owner, status: 'SUSPENDED' })
  await employ(service, company, personOf(callers['a dead token']), owner)
  await inviteTo(service, company, { ...owner, person: personOf(callers['somebody invited']) })
  for (const [name, role] of Object.entries(ROLES)) {
    await employ(service, company, personOf(callers[name as CallerName]), { role })
  }
}

/** Puts into a tenant what its doors are about: a member, an invitation and a webhook; and names an application. */
export async function furnish(service: TestService, company: Company): Promise<Place> {
  const target = await addPerson(service)
  const membershipId = await employ(service, company, target)
  const invitation = await inviteTo(service, company)
  const webhook = await hookUp(service, company)
  const { id: applicationId } = await service.ctx.db
    .selectFrom('applications')
    .select('id')
    .where('slug', '=', 'project-manager')
    .executeTakeFirstOrThrow()
  const face = await decorate(service, company)
  const { id, name, slug } = company
  return {
    company,
    ids: {
      ...{ id, membershipId, invitationId: invitation.id },
      ...{ webhookId: webhook.id, deliveryId: webhook.deliveryId, applicationId },
    },
    secrets: [
      ...[id, name, slug, membershipId, invitation.id, target.id, target.email, invitation.email],
      ...[webhook.id, webhook.url, webhook.deliveryId, face],
    ],
  }
}

export const personOf = ({ person }: Caller): Somebody => {
  if (!person) throw new Error('this caller is no person')
  return person
}

const bearing = (accessToken: string): Caller => ({ headers: { authorization: `Bearer ${accessToken}` } })

async function newMachine({ url }: TestService, traits: object): Promise<string> {
  const application = await admin<{ id: string }>(url, '/api/admin/applications', { name: 'Back office' })
  const machine = { applicationId: application.id, kind: 'MACHINE', name: 'Back office', ...traits }
  const made = await admin<{ clientId: string; clientSecret: string }>(url, '/api/admin/clients', machine)
  const { body } = await token(url, {
    grant_type: 'client_credentials',
    client_id: made.clientId,
    client_secret: made.clientSecret,
  })
  return body.access_token
}

async function thirdPartyToken({ url, ctx }: TestService, { id, cookie }: Somebody): Promise<string> {
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
