import { CompiledQuery } from 'kysely'
import { Type } from 'typebox'
import { extendChain } from '../../src/audit/chain/service.ts'
import type { Ctx } from '../../src/context.ts'
import type { Db, Tx } from '../../src/db/open.ts'
import { fanOut } from '../../src/events/fan-out/service.ts'
import { defineRoute } from '../../src/http/routing/define-route.ts'
import { withTenant } from '../../src/tenants/tenant-scope.ts'
import { call, createSignedInUser, insertUser, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { admin, obtainTokens, PASSWORD } from '../support/world.ts'
import { insertMembership, insertTenant, type TestTenant } from './tenant-rows.ts'

/** The tables with row-level security, and the column that holds the tenant of a row. */
export const TENANT_COLUMNS = {
  tenants: 'id',
  memberships: 'tenant_id',
  member_counts: 'tenant_id',
  invitations: 'tenant_id',
  dormant_memberships: 'tenant_id',
  audit_entries: 'tenant_id',
  audit_chain: 'tenant_id',
  subscriptions: 'tenant_id',
  seats: 'tenant_id',
  license_ledger: 'tenant_id',
  license_revisions: 'tenant_id',
  webhooks: 'tenant_id',
  webhook_lanes: 'tenant_id',
  webhook_deliveries: 'tenant_id',
  brandings: 'tenant_id',
  tenant_mail_templates: 'tenant_id',
} as const
export type TenantTable = keyof typeof TENANT_COLUMNS
export const TENANT_TABLES = Object.entries(TENANT_COLUMNS) as [TenantTable, string][]
/** A trigger refuses to change the tenant of a row in these tables, also outside a tenant scope. */
export const FIXED_TENANT_TABLES: TenantTable[] = ['subscriptions', 'seats', 'license_ledger']
export const AUDIT_TABLES: TenantTable[] = ['audit_entries', 'audit_chain']
/** These also hold rows without a tenant, such as the branding of the demo application. */
export const SHARED_TABLES: TenantTable[] = [...AUDIT_TABLES, 'brandings']

const APPEND_ONLY_TABLES: TenantTable[] = ['license_ledger', ...AUDIT_TABLES]
export const WRITABLE_TABLES = TENANT_TABLES.filter(([table]) => !APPEND_ONLY_TABLES.includes(table))

export interface ScopedTenant {
  company: TestTenant
  owner: TestUser
}

/** A tenant with rows in every table that has row-level security, created through the API. */
export async function createScopedTenant(service: TestService): Promise<ScopedTenant> {
  const owner = await createSignedInUser(service)
  const company = await insertTenant(service)
  await insertMembership(service, company, owner, { role: 'owner' })
  await insertMembership(service, company, await insertUser(service))
  const webhook = { url: 'https://hooks.test/', events: ['*'] }
  const hooked = await owner.call('POST', `/api/tenants/${company.id}/webhooks`, webhook)
  const branding = { displayName: company.name, color: '#123456' }
  const branded = await owner.call('PUT', `/api/tenants/${company.id}/branding`, branding)
  const template = { subject: 'Welcome to {{tenant}}' }
  const edited = await owner.call('PUT', `/api/tenants/${company.id}/mail-templates/invitation`, template)
  const leaver = await createSignedInUser(service)
  await insertMembership(service, company, leaver)
  const left = await leaver.call('DELETE', '/api/users/me', {
    password: PASSWORD,
    confirmation: 'DELETE MY ACCOUNT',
  })
  const email = `guest-of-${company.slug}@people.test`
  const invited = await owner.call('POST', `/api/tenants/${company.id}/invitations`, { email })
  if (
    left.status !== 200 ||
    invited.status !== 201 ||
    hooked.status !== 201 ||
    branded.status !== 200 ||
    edited.status !== 200
  )
    throw new Error(JSON.stringify([left.body, invited.body, hooked.body, branded.body, edited.body]))
  await grantSeat(service, { company, owner })
  await extendChain(service.ctx)
  await fanOut(service.ctx)
  return { company, owner }
}

/** Adds a subscription with one seat of the demo application and grants it to the owner. */
async function grantSeat({ url, ctx }: TestService, { company, owner }: ScopedTenant): Promise<void> {
  const type = await ctx.db
    .selectFrom('license_types')
    .select(['id', 'application_id'])
    .where('slug', '=', 'pro')
    .executeTakeFirstOrThrow()
  const subscription = { licenseTypeId: type.id, quantityPurchased: 1 }
  await admin(url, `/api/licensing/tenants/${company.id}/subscriptions`, subscription)
  const { access_token } = await obtainTokens(url, owner.cookie, { tenant: company.slug })
  const granted = await call(`${url}/api/integration/licenses/grant`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}` },
    body: { userId: owner.id, applicationId: type.application_id, licenseTypeId: type.id },
  })
  if (granted.status !== 201) throw new Error(JSON.stringify(granted.body))
}

/** Runs raw SQL. */
export const runSql = async <Row>(db: Db | Tx, text: string, parameters: unknown[] = []): Promise<Row[]> =>
  (await db.executeQuery<Row>(CompiledQuery.raw(text, parameters))).rows

/** An insert statement for a row given as JSON, without generated columns. */
export async function buildInsert(db: Db, table: TenantTable): Promise<string> {
  const [insertable] = await runSql<{ columns: string }>(
    db,
    `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  )
  return `insert into ${table} (${insertable?.columns})
    select ${insertable?.columns} from json_populate_record(null::${table}, $1)`
}

/** Runs work in the tenant scope of the owner. */
export const inTenantScope = <T>(
  ctx: Ctx,
  { company, owner }: ScopedTenant,
  work: (tx: Tx) => Promise<T>,
  readOnly = false,
): Promise<T> => {
  const person = {
    kind: 'person' as const,
    userId: owner.id,
    sessionId: owner.id,
    amr: ['pwd'] as const,
    clientId: undefined,
    superAdmin: false,
    trusted: true,
    tenantId: undefined,
    tenantRole: undefined,
  }
  return withTenant(ctx, person, { tenantId: company.id, roles: ['owner'], readOnly }, work)
}

class RollbackError extends Error {}

/** Runs work in the tenant scope of the owner and rolls it back. */
export async function tryInTenantScope<T>(ctx: Ctx, walled: ScopedTenant, work: (tx: Tx) => Promise<T>): Promise<T> {
  const results: T[] = []
  await inTenantScope(ctx, walled, async (tx) => {
    results.push(await work(tx))
    throw new RollbackError()
  }).catch((error: unknown) => {
    if (!(error instanceof RollbackError)) throw error
  })
  return results[0] as T
}

/** The tenants of all visible rows of a table, read without a filter. */
export const listTenantIds = async (db: Db | Tx, table: TenantTable): Promise<(string | null)[]> => {
  const rows = await runSql<{ tenant: string | null }>(
    db,
    `select distinct ${TENANT_COLUMNS[table]} as tenant from ${table} order by 1`,
  )
  return rows.map(({ tenant }) => tenant)
}

const TenantIds = Type.Record(Type.String(), Type.Array(Type.String()))

/** Routes whose queries do not filter by tenant. */
export const unfilteredRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/tenants/:id/unfiltered',
    operationId: 'sample1',
    tag: 'Sample',
    summary: 'Reads all tables without a filter',
    caller: 'member',
    roles: ['owner', 'admin', 'member'],
    params: Type.Object({ id: Type.String() }),
    reply: { 200: TenantIds },
    handler: async (_ctx, { tx }) => {
      const tenantIds: Record<string, string[]> = {}
      for (const [table] of TENANT_TABLES) tenantIds[table] = (await listTenantIds(tx, table)).map(String)
      return tenantIds
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/tenants/:id/unfiltered',
    operationId: 'sample2',
    tag: 'Sample',
    summary: 'Renames every tenant and changes the role of every invitation',
    caller: 'member',
    roles: ['owner'],
    params: Type.Object({ id: Type.String() }),
    reply: { 200: Type.Object({ success: Type.Boolean() }) },
    handler: async (_ctx, { tx }) => {
      await tx.updateTable('tenants').set({ name: 'Mine now' }).execute()
      await tx.updateTable('invitations').set({ role: 'owner' }).execute()
      return { success: true }
    },
  }),
]
