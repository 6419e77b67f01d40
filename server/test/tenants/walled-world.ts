import { CompiledQuery } from 'kysely'
import { Type } from 'typebox'
import { extendChain } from '../../src/audit/chain/service.ts'
import type { Ctx } from '../../src/context.ts'
import type { Db, Tx } from '../../src/db/open.ts'
import { fanOut } from '../../src/events/fan-out/service.ts'
import { defineRoute } from '../../src/http/define-route.ts'
import { inTenant } from '../../src/tenants/wall.ts'
import { addPerson, call, newSomebody, type Somebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { admin, obtainTokens, PASSWORD } from '../support/world.ts'
import { type Company, employ, newCompany } from './company.ts'

/** The tables behind the wall, and by which column a row belongs to a tenant. */
export const WALLED = {
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
} as const
export type WalledTable = keyof typeof WALLED
export const WALLED_TABLES = Object.entries(WALLED) as [WalledTable, string][]
/** Of these nobody hands a row to another tenant, on whichever side of the wall. */
export const STEADY_TABLES: WalledTable[] = ['subscriptions', 'seats', 'license_ledger']
export const LOG_TABLES: WalledTable[] = ['audit_entries', 'audit_chain']
/** These hold rows of the whole instance as well: the demo's application has a branding. */
export const SHARED_TABLES: WalledTable[] = [...LOG_TABLES, 'brandings']
/** What stands in the ledger or in the log is never changed, by nobody. */
const LASTING_TABLES: WalledTable[] = ['license_ledger', ...LOG_TABLES]
export const CHANGEABLE_TABLES = WALLED_TABLES.filter(([table]) => !LASTING_TABLES.includes(table))

export interface Walled {
  company: Company
  owner: Somebody
}

/** A tenant with rows in every table behind the wall, made by what people do. */
export async function newWalled(service: TestService): Promise<Walled> {
  const owner = await newSomebody(service)
  const company = await newCompany(service)
  await employ(service, company, owner, { role: 'owner' })
  await employ(service, company, await addPerson(service))
  const webhook = { url: 'https://hooks.test/', events: ['*'] }
  const hooked = await owner.call('POST', `/api/tenants/${company.id}/webhooks`, webhook)
  const branding = { displayName: company.name, color: '#123456' }
  const branded = await owner.call('PUT', `/api/tenants/${company.id}/branding`, branding)
  const leaver = await newSomebody(service)
  await employ(service, company, leaver)
  const left = await leaver.call('DELETE', '/api/users/me', {
    password: PASSWORD,
    confirmation: 'DELETE MY ACCOUNT',
  })
  const email = `guest-of-${company.slug}@people.test`
  const invited = await owner.call('POST', `/api/tenants/${company.id}/invitations`, { email })
  if (left.status !== 200 || invited.status !== 201 || hooked.status !== 201 || branded.status !== 200)
    throw new Error(JSON.stringify([left.body, invited.body, hooked.body, branded.body]))
  await takeSeat(service, { company, owner })
  await extendChain(service.ctx)
  await fanOut(service.ctx)
  return { company, owner }
}

/** Sells the tenant one licence of the demo's application, for its owner. */
async function takeSeat({ url, ctx }: TestService, { company, owner }: Walled): Promise<void> {
  const type = await ctx.db
    .selectFrom('license_types')
    .select(['id', 'application_id'])
    .where('slug', '=', 'pro')
    .executeTakeFirstOrThrow()
  const sale = { licenseTypeId: type.id, quantityPurchased: 1 }
  await admin(url, `/api/licensing/tenants/${company.id}/subscriptions`, sale)
  const { access_token } = await obtainTokens(url, owner.cookie, { tenant: company.slug })
  const granted = await call(`${url}/api/integration/licenses/grant`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}` },
    body: { userId: owner.id, applicationId: type.application_id, licenseTypeId: type.id },
  })
  if (granted.status !== 201) throw new Error(JSON.stringify(granted.body))
}

/** Asks the database in plain words. */
export const ask = async <Row>(db: Db | Tx, text: string, parameters: unknown[] = []): Promise<Row[]> =>
  (await db.executeQuery<Row>(CompiledQuery.raw(text, parameters))).rows

/** An order that adds the row given as JSON, but for what the database makes from other columns itself. */
export async function orderToAdd(db: Db, table: WalledTable): Promise<string> {
  const [given] = await ask<{ columns: string }>(
    db,
    `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  )
  return `insert into ${table} (${given?.columns})
    select ${given?.columns} from json_populate_record(null::${table}, $1)`
}

/** Works as the owner behind the wall of their tenant. */
export const behindWall = <T>(
  ctx: Ctx,
  { company, owner }: Walled,
  work: (tx: Tx) => Promise<T>,
  readOnly = false,
): Promise<T> => {
  const person = {
    ...({ kind: 'person', userId: owner.id, sessionId: owner.id, amr: ['pwd'] } as const),
    ...{ clientId: undefined, superAdmin: false, trusted: true, tenantId: undefined, tenantRole: undefined },
  }
  return inTenant(ctx, person, { tenantId: company.id, roles: ['owner'], readOnly }, work)
}

class Undone extends Error {}

/** The same, and nothing of it stays. */
export async function tryBehindWall<T>(ctx: Ctx, walled: Walled, work: (tx: Tx) => Promise<T>): Promise<T> {
  const results: T[] = []
  await behindWall(ctx, walled, async (tx) => {
    results.push(await work(tx))
    throw new Undone()
  }).catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error
  })
  return results[0] as T
}

/** The tenants whose rows there are in a table, for whoever asks without a filter. */
export const seenIn = async (db: Db | Tx, table: WalledTable): Promise<(string | null)[]> => {
  const rows = await ask<{ tenant: string | null }>(
    db,
    `select distinct ${WALLED[table]} as tenant from ${table} order by 1`,
  )
  return rows.map(({ tenant }) => tenant)
}

const Seen = Type.Record(Type.String(), Type.Array(Type.String()))

/** Doors whose handlers forget to say which tenant they mean. */
export const forgetfulRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/tenants/:id/forgetful',
    tag: 'Sample',
    summary: 'Reads all there is',
    caller: 'member',
    roles: ['owner', 'admin', 'member'],
    params: Type.Object({ id: Type.String() }),
    reply: { 200: Seen },
    handler: async (_ctx, { tx }) => {
      const seen: Record<string, string[]> = {}
      for (const [table] of WALLED_TABLES) seen[table] = (await seenIn(tx, table)).map(String)
      return seen
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/tenants/:id/forgetful',
    tag: 'Sample',
    summary: 'Renames every tenant, and gives every guest another role',
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
