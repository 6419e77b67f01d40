import { randomBytes } from 'node:crypto'
import type { MembershipStatus, Role } from '../../src/db/tables.ts'
import { newId } from '../../src/lib/ids.ts'
import { hashSecret } from '../../src/lib/secrets.ts'
import type { TestService } from '../support/service.ts'

/** A tenant of a test's own, laid out past the service, so that a test may have as many as it has cases. */
export interface Company {
  id: string
  name: string
  slug: string
}

export async function newCompany({ ctx }: TestService): Promise<Company> {
  const mark = randomBytes(5).toString('hex')
  const company = { id: newId(), name: `Company ${mark}`, slug: `company-${mark}` }
  const now = ctx.now()
  await ctx.db
    .insertInto('tenants')
    .values({ ...company, created_at: now, updated_at: now })
    .execute()
  return company
}

interface Place {
  role?: Role
  status?: MembershipStatus
}

/** Makes somebody a member; the answer is the id of the membership. */
export async function employ(
  { ctx }: TestService,
  { id: tenantId }: Company,
  { id: userId }: { id: string },
  { role = 'member', status = 'ACTIVE' }: Place = {},
): Promise<string> {
  const id = newId()
  const now = ctx.now()
  const invited = status === 'INVITED'
  await ctx.db
    .insertInto('memberships')
    .values({
      ...{ id, tenant_id: tenantId, user_id: userId, role, status },
      ...{ joined_at: invited ? null : now, invited_until: invited ? inAWeek(now) : null },
      ...{ created_at: now, updated_at: now },
    })
    .execute()
  return id
}

const inAWeek = (now: Date) => new Date(now.getTime() + 7 * 86_400_000)

/** An open invitation whose link nobody knows, and the INVITED membership that comes with it where there is a person. */
export async function inviteTo(
  service: TestService,
  company: Company,
  { role = 'member', person }: { role?: Role; person?: { id: string; email: string } } = {},
) {
  const { ctx } = service
  const email = person?.email ?? `invitee-${randomBytes(5).toString('hex')}@people.test`
  const id = newId()
  const now = ctx.now()
  await ctx.db
    .insertInto('invitations')
    .values({
      ...{ id, tenant_id: company.id, email, role, status: 'PENDING', lifetime: 7 * 86_400 },
      ...{ token_hash: hashSecret(id), user_id: person?.id ?? null, invited_by: null },
      ...{ created_at: now, expires_at: inAWeek(now) },
    })
    .execute()
  const membershipId = person && (await employ(service, company, person, { role, status: 'INVITED' }))
  return { id, email, membershipId }
}

/** A webhook that leads nowhere, and an event that was delivered to it. */
export async function hookUp({ ctx }: TestService, { id: tenantId, slug }: Company) {
  const now = ctx.now()
  const [id, deliveryId] = [newId(), newId()]
  const url = `https://${slug}.test/`
  await ctx.db
    .insertInto('webhooks')
    .values({
      ...{ id, tenant_id: tenantId, url, events: ['*'], description: null, after_position: 0 },
      ...{
        sealed_secret: ctx.keys.seal('webhook-secret', 'whsec_'),
        disabled_at: null,
        disabled_reason: null,
      },
      ...{ created_at: now, updated_at: now },
    })
    .execute()
  await ctx.db
    .insertInto('webhook_deliveries')
    .values({
      ...{
        id: deliveryId,
        webhook_id: id,
        tenant_id: tenantId,
        lane: tenantId,
        position: 1,
        event_id: newId(),
      },
      ...{ event_type: 'tenant.changed', status: 'DELIVERED', created_at: now, finished_at: now },
    })
    .execute()
  return { id, url, deliveryId }
}

/** Gives the tenant a branding; the answer is the name it shows. */
export async function decorate({ ctx }: TestService, company: Company): Promise<string> {
  const display_name = `Face of ${company.slug}`
  await ctx.db
    .insertInto('brandings')
    .values({ tenant_id: company.id, display_name, updated_at: ctx.now() })
    .execute()
  return display_name
}

/** All that is to be seen of a company, to tell whether anything has changed. */
export async function pictureOf({ ctx }: TestService, { id }: Company) {
  const { db } = ctx
  return {
    tenant: await db.selectFrom('tenants').selectAll().where('id', '=', id).execute(),
    memberships: await db
      .selectFrom('memberships')
      .selectAll()
      .where('tenant_id', '=', id)
      .orderBy('id')
      .execute(),
    invitations: await db
      .selectFrom('invitations')
      .selectAll()
      .where('tenant_id', '=', id)
      .orderBy('id')
      .execute(),
    webhooks: await db.selectFrom('webhooks').selectAll().where('tenant_id', '=', id).orderBy('id').execute(),
    deliveries: await db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('tenant_id', '=', id)
      .orderBy('id')
      .execute(),
    brandings: await db.selectFrom('brandings').selectAll().where('tenant_id', '=', id).execute(),
    entries: await db
      .selectFrom('audit_entries')
      .selectAll()
      .where('tenant_id', '=', id)
      .orderBy('id')
      .execute(),
  }
}
