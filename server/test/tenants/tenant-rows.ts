import { randomBytes } from 'node:crypto'
import type { MembershipStatus, Role } from '../../src/db/tables.ts'
import { newId } from '../../src/lib/ids.ts'
import { hashSecret } from '../../src/lib/secrets.ts'
import type { TestService } from '../support/service.ts'

/** A tenant that is inserted without the API, so that a test can cheaply create one per case. */
export interface TestTenant {
  id: string
  name: string
  slug: string
}

export async function insertTenant({ ctx }: TestService): Promise<TestTenant> {
  const suffix = randomBytes(5).toString('hex')
  const company = { id: newId(), name: `Company ${suffix}`, slug: `company-${suffix}` }
  const now = ctx.now()
  await ctx.db
    .insertInto('tenants')
    .values({ ...company, created_at: now, updated_at: now })
    .execute()
  return company
}

interface MembershipOptions {
  role?: Role
  status?: MembershipStatus
}

/** Inserts a membership and returns its id. */
export async function insertMembership(
  { ctx }: TestService,
  { id: tenantId }: TestTenant,
  { id: userId }: { id: string },
  { role = 'member', status = 'ACTIVE' }: MembershipOptions = {},
): Promise<string> {
  const id = newId()
  const now = ctx.now()
  const invited = status === 'INVITED'
  await ctx.db
    .insertInto('memberships')
    .values({
      id,
      tenant_id: tenantId,
      user_id: userId,
      role,
      status,
      joined_at: invited ? null : now,
      invited_until: invited ? inAWeek(now) : null,
      created_at: now,
      updated_at: now,
    })
    .execute()
  return id
}

const inAWeek = (now: Date) => new Date(now.getTime() + 7 * 86_400_000)

/** Inserts an open invitation, whose token is its id, and for an existing user also the INVITED membership. */
export async function insertInvitation(
  service: TestService,
  company: TestTenant,
  { role = 'member', person }: { role?: Role; person?: { id: string; email: string } } = {},
) {
  const { ctx } = service
  const email = person?.email ?? `invitee-${randomBytes(5).toString('hex')}@people.test`
  const id = newId()
  const now = ctx.now()
  await ctx.db
    .insertInto('invitations')
    .values({
      id,
      tenant_id: company.id,
      email,
      role,
      status: 'PENDING',
      lifetime: 7 * 86_400,
      token_hash: hashSecret(id),
      user_id: person?.id ?? null,
      invited_by: null,
      created_at: now,
      expires_at: inAWeek(now),
    })
    .execute()
  const membershipId = person && (await insertMembership(service, company, person, { role, status: 'INVITED' }))
  return { id, email, membershipId }
}

/** Inserts a webhook with an unreachable URL and one delivery. */
export async function insertWebhook({ ctx }: TestService, { id: tenantId, slug }: TestTenant) {
  const now = ctx.now()
  const [id, deliveryId] = [newId(), newId()]
  const url = `https://${slug}.test/`
  await ctx.db
    .insertInto('webhooks')
    .values({
      id,
      tenant_id: tenantId,
      url,
      events: ['*'],
      description: null,
      after_position: 0,
      sealed_secret: ctx.keys.seal('webhook-secret', 'whsec_'),
      disabled_at: null,
      disabled_reason: null,
      created_at: now,
      updated_at: now,
    })
    .execute()
  await ctx.db
    .insertInto('webhook_deliveries')
    .values({
      id: deliveryId,
      webhook_id: id,
      tenant_id: tenantId,
      lane: tenantId,
      position: 1,
      event_id: newId(),
      event_type: 'tenant.changed',
      status: 'DELIVERED',
      created_at: now,
      finished_at: now,
    })
    .execute()
  return { id, url, deliveryId }
}

/** Inserts a branding and returns its display name. */
export async function insertBranding({ ctx }: TestService, company: TestTenant): Promise<string> {
  const display_name = `Face of ${company.slug}`
  await ctx.db.insertInto('brandings').values({ tenant_id: company.id, display_name, updated_at: ctx.now() }).execute()
  return display_name
}

export async function insertMailTemplate({ ctx }: TestService, { id: tenant_id }: TestTenant): Promise<void> {
  const texts = { subject: 'Welcome', heading: null, body: null, button: null }
  const row = { tenant_id, kind: 'invitation', ...texts, updated_at: ctx.now() }
  await ctx.db.insertInto('tenant_mail_templates').values(row).execute()
}

/** The rows of a tenant in all its tables, to compare before and after. */
export async function readTenantRows({ ctx }: TestService, { id }: TestTenant) {
  const { db } = ctx
  return {
    tenant: await db.selectFrom('tenants').selectAll().where('id', '=', id).execute(),
    memberships: await db.selectFrom('memberships').selectAll().where('tenant_id', '=', id).orderBy('id').execute(),
    invitations: await db.selectFrom('invitations').selectAll().where('tenant_id', '=', id).orderBy('id').execute(),
    webhooks: await db.selectFrom('webhooks').selectAll().where('tenant_id', '=', id).orderBy('id').execute(),
    deliveries: await db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('tenant_id', '=', id)
      .orderBy('id')
      .execute(),
    mailTemplates: await db.selectFrom('tenant_mail_templates').selectAll().where('tenant_id', '=', id).execute(),
    brandings: await db.selectFrom('brandings').selectAll().where('tenant_id', '=', id).execute(),
    entries: await db.selectFrom('audit_entries').selectAll().where('tenant_id', '=', id).orderBy('id').execute(),
  }
}
