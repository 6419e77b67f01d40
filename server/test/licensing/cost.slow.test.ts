import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/audit/record.ts'
import { newId } from '../../src/lib/ids.ts'
import { grant, revoke } from '../../src/licensing/seats/service.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { admin, startDemoService, token } from '../support/world.ts'
import { insertTenant } from '../tenants/tenant-rows.ts'

// The cost of a grant and of a check does not depend on the number of seats.

/** A tenant with seat holders and OTHER_COUNT members without a seat. */
interface LargeTenant {
  tenantId: string
  applicationId: string
  licenseTypeId: string
  holders: string[]
  others: string[]
  authorization: string
}

const OTHER_COUNT = 60
const FILLED_TABLES = ['users', 'memberships', 'subscriptions', 'seats']

let service: TestService
let watch: StatementWatch
let small: LargeTenant
let middle: LargeTenant
let large: LargeTenant
beforeAll(async () => {
  service = await startDemoService()
  watch = await watchStatements(service)
  small = await createTenant(10)
  middle = await createTenant(100)
  large = await createTenant(FULL ? 100_000 : 10_000)
  await sql`analyze`.execute(service.ctx.db)
})
afterAll(async () => {
  await watch?.close()
  await service?.close()
})

/** Inserts the rows without triggers, which would take too long, and sets the counters that they would maintain. */
async function createTenant(holderCount: number): Promise<LargeTenant> {
  const { ctx, url } = service
  const { id: tenantId, name } = await insertTenant(service)
  const { id: applicationId } = await admin<{ id: string }>(url, '/api/admin/applications', { name })
  const { id: licenseTypeId } = await admin<{ id: string }>(url, '/api/licensing/license-types', {
    applicationId,
    slug: 'pro',
    name: 'Pro',
    features: { reports: true },
  })
  const path = `/api/licensing/tenants/${tenantId}/subscriptions`
  const terms = { licenseTypeId, quantityPurchased: holderCount + OTHER_COUNT }
  const { id: subscriptionId } = await admin<{ id: string }>(url, path, terms)
  const userIds = Array.from({ length: holderCount + OTHER_COUNT }, newId)
  const [holders, others] = [userIds.slice(0, holderCount), userIds.slice(holderCount)]
  await ctx.db.transaction().execute(async (tx) => {
    for (const table of FILLED_TABLES) {
      await sql`alter table ${sql.table(table)} disable trigger user`.execute(tx)
    }
    await sql`
      insert into users (id, email, email_verified, created_at, updated_at)
      select id, id || '@people.test', true, now(), now() from unnest(${userIds}::uuid[]) as id`.execute(tx)
    await sql`
      insert into memberships (id, tenant_id, user_id, role, status, joined_at, created_at, updated_at)
      select gen_random_uuid(), ${tenantId}, id, 'member', 'ACTIVE', now(), now(), now()
      from unnest(${userIds}::uuid[]) as id`.execute(tx)
    await sql`
      insert into member_counts (tenant_id, status, role, count)
      values (${tenantId}, 'ACTIVE', 'member', ${userIds.length})`.execute(tx)
    await sql`
      insert into seats
        (id, tenant_id, user_id, application_id, license_type_id, subscription_id, status, assigned_at)
      select gen_random_uuid(), ${tenantId}, id, ${applicationId}, ${licenseTypeId}, ${subscriptionId}, 'ASSIGNED',
        now()
      from unnest(${holders}::uuid[]) as id`.execute(tx)
    await sql`
      update subscriptions set quantity_assigned = ${holderCount} where id = ${subscriptionId}`.execute(tx)
    await sql`
      insert into license_ledger (tenant_id, sequence, reason, subject, subject_id, user_id, application_id, after)
      select tenant_id, 1 + row_number() over (), 'GRANTED', 'seat', id, user_id, application_id,
        jsonb_build_object('status', status, 'licenseTypeId', license_type_id, 'subscriptionId', subscription_id,
          'assignedAt', assigned_at)
      from seats where tenant_id = ${tenantId}`.execute(tx)
    await sql`update license_revisions set revision = ${holderCount + 1} where tenant_id = ${tenantId}`.execute(tx)
    for (const table of FILLED_TABLES) {
      await sql`alter table ${sql.table(table)} enable trigger user`.execute(tx)
    }
  })
  const client = await admin<{ clientId: string; clientSecret: string }>(url, '/api/admin/clients', {
    applicationId,
    kind: 'MACHINE',
    name: 'Back office',
    tenantId,
    scopes: ['licenses:write'],
  })
  const { body } = await token(url, {
    grant_type: 'client_credentials',
    client_id: client.clientId,
    client_secret: client.clientSecret,
  })
  const authorization = `Bearer ${body.access_token}`
  return { tenantId, applicationId, licenseTypeId, holders, others, authorization }
}

const BASE_PATH = '/api/integration/licenses'

async function post(tenant: LargeTenant, verb: 'grant' | 'revoke', userId: string): Promise<number> {
  const { applicationId, licenseTypeId, authorization } = tenant
  const response = await fetch(`${service.url}${BASE_PATH}/${verb}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', authorization },
    body: JSON.stringify({ userId, applicationId, licenseTypeId }),
  })
  await response.text()
  return response.status
}

async function hasLicense({ applicationId, authorization }: LargeTenant, userId: string): Promise<unknown> {
  const query = new URLSearchParams({ userId, applicationId })
  const response = await fetch(`${service.url}${BASE_PATH}/check?${query}`, { headers: { authorization } })
  return ((await response.json()) as { hasLicense: boolean }).hasLicense
}

describe('with very many assigned seats', () => {
  test.each(['grant', 'revoke'] as const)('a %s runs the same statements as with ten', async (verb) => {
    const listStatements = async (tenant: LargeTenant) => {
      const userId = tenant.others[0] ?? ''
      // Fills the caches.
      for (const each of ['grant', 'revoke'] as const) expect(await post(tenant, each, userId)).toBeLessThan(202)
      if (verb === 'revoke') expect(await post(tenant, 'grant', userId)).toBe(201)
      const statements = await watch.list(async () => {
        expect(await post(tenant, verb, userId)).toBe(verb === 'grant' ? 201 : 200)
      })
      if (verb === 'grant') expect(await post(tenant, 'revoke', userId)).toBe(200)
      return statements
    }
    const statements = await listStatements(small)
    expect(statements).toHaveLength(2)
    expect(await listStatements(large)).toEqual(statements)
  })

  test.runIf(FULL)('a grant takes no longer than with ten', async () => {
    const ratios: number[] = []
    // Other load may disturb the measurement, so one good round is enough.
    for (let round = 0; round < 5 && Math.min(...ratios) > 1.2; round++) ratios.push(await compareGrants())
    expect(Math.min(...ratios)).toBeLessThan(1.2)
  })
})

/** The ratio of the median grant times of the large and the small tenant, measured in alternation. */
async function compareGrants(): Promise<number> {
  const times = new Map<LargeTenant, number[]>([
    [small, []],
    [large, []],
  ])
  for (let index = 0; index < OTHER_COUNT; index++) {
    const both = [...times]
    if (index % 2 === 1) both.reverse()
    for (const [tenant, durations] of both) {
      const { tenantId, applicationId, licenseTypeId, others } = tenant
      const request = { userId: others[index] ?? '', applicationId, licenseTypeId }
      const start = performance.now()
      await grant(service.ctx, { tenantId, actor: SYSTEM }, request)
      durations.push(performance.now() - start)
    }
  }
  for (const [{ tenantId, applicationId, others }] of times) {
    for (const userId of others) {
      await revoke(service.ctx, { tenantId, actor: SYSTEM }, { userId, applicationId })
    }
  }
  return median(times.get(large)) / median(times.get(small))
}

function median(times: number[] = []): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

describe('a repeated check', () => {
  test.each([
    ['a hundred', () => middle],
    ['very many', () => large],
  ])('with %s assigned seats runs no statement, with and without a license', async (_name, pick) => {
    const tenant = pick()
    const holders = tenant.holders.slice(-5)
    const others = [...tenant.others.slice(0, 5), newId()]
    const checkAll = async () => {
      for (const userId of holders) expect(await hasLicense(tenant, userId)).toBe(true)
      for (const userId of others) expect(await hasLicense(tenant, userId)).toBe(false)
    }
    await checkAll()
    expect(await watch.list(checkAll)).toEqual([])
  })
})
