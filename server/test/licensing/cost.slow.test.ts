import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/audit/record.ts'
import { newId } from '../../src/lib/ids.ts'
import { grant, revoke } from '../../src/licensing/seats/service.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { admin, startWorld, token } from '../support/world.ts'
import { newCompany } from '../tenants/company.ts'

// What a grant and a check cost does not depend on how many seats there are.

/** A tenant with so many people on seats, and some more without one. */
interface Estate {
  tenantId: string
  applicationId: string
  licenseTypeId: string
  seated: string[]
  others: string[]
  authorization: string
}

const OTHERS = 60
const FILLED = ['users', 'memberships', 'subscriptions', 'seats']

let service: TestService
let watch: StatementWatch
let small: Estate
let middle: Estate
let large: Estate
beforeAll(async () => {
  service = await startWorld()
  watch = await watchStatements(service)
  small = await lay(10)
  middle = await lay(100)
  large = await lay(FULL ? 100_000 : 10_000)
  await sql`analyze`.execute(service.ctx.db)
}, 180_000)
afterAll(async () => {
  await watch?.close()
  await service?.close()
})

/**
 * Laid out past the service, and past what the database does for each single one: there are many. The counters are
 * set as they would be.
 */
async function lay(many: number): Promise<Estate> {
  const { ctx, url } = service
  const { id: tenantId, name } = await newCompany(service)
  const { id: applicationId } = await admin<{ id: string }>(url, '/api/admin/applications', { name })
  const { id: licenseTypeId } = await admin<{ id: string }>(url, '/api/licensing/license-types', {
    ...{ applicationId, slug: 'pro', name: 'Pro', features: { reports: true } },
  })
  const at = `/api/licensing/tenants/${tenantId}/subscriptions`
  const terms = { licenseTypeId, quantityPurchased: many + OTHERS }
  const { id: subscriptionId } = await admin<{ id: string }>(url, at, terms)
  const people = Array.from({ length: many + OTHERS }, newId)
  const [seated, others] = [people.slice(0, many), people.slice(many)]
  await ctx.db.transaction().execute(async (tx) => {
    for (const table of FILLED) {
      await sql`alter table ${sql.table(table)} disable trigger user`.execute(tx)
    }
    await sql`
      insert into users (id, email, email_verified, created_at, updated_at)
      select id, id || '@people.test', true, now(), now() from unnest(${people}::uuid[]) as id`.execute(tx)
    await sql`
      insert into memberships (id, tenant_id, user_id, role, status, joined_at, created_at, updated_at)
      select gen_random_uuid(), ${tenantId}, id, 'member', 'ACTIVE', now(), now(), now()
      from unnest(${people}::uuid[]) as id`.execute(tx)
    await sql`
      insert into member_counts (tenant_id, status, role, count)
      values (${tenantId}, 'ACTIVE', 'member', ${people.length})`.execute(tx)
    await sql`
      insert into seats
        (id, tenant_id, user_id, application_id, license_type_id, subscription_id, status, assigned_at)
      select gen_random_uuid(), ${tenantId}, id, ${applicationId}, ${licenseTypeId}, ${subscriptionId}, 'ASSIGNED',
        now()
      from unnest(${seated}::uuid[]) as id`.execute(tx)
    await sql`
      update subscriptions set quantity_assigned = ${many} where id = ${subscriptionId}`.execute(tx)
    await sql`
      insert into license_ledger (tenant_id, sequence, reason, subject, subject_id, user_id, application_id, after)
      select tenant_id, 1 + row_number() over (), 'GRANTED', 'seat', id, user_id, application_id,
        jsonb_build_object('status', status, 'licenseTypeId', license_type_id, 'subscriptionId', subscription_id,
          'assignedAt', assigned_at)
      from seats where tenant_id = ${tenantId}`.execute(tx)
    await sql`update license_revisions set revision = ${many + 1} where tenant_id = ${tenantId}`.execute(tx)
    for (const table of FILLED) {
      await sql`alter table ${sql.table(table)} enable trigger user`.execute(tx)
    }
  })
  const client = await admin<{ clientId: string; clientSecret: string }>(url, '/api/admin/clients', {
    ...{ applicationId, kind: 'MACHINE', name: 'Back office', tenantId },
    scopes: ['licenses:write'],
  })
  const { body } = await token(url, {
    ...{ grant_type: 'client_credentials', client_id: client.clientId, client_secret: client.clientSecret },
  })
  const authorization = `Bearer ${body.access_token}`
  return { tenantId, applicationId, licenseTypeId, seated, others, authorization }
}

const AT = '/api/integration/licenses'

async function post(estate: Estate, verb: 'grant' | 'revoke', userId: string): Promise<number> {
  const { applicationId, licenseTypeId, authorization } = estate
  const response = await fetch(`${service.url}${AT}/${verb}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', authorization },
    body: JSON.stringify({ userId, applicationId, licenseTypeId }),
  })
  await response.text()
  return response.status
}

async function holds({ applicationId, authorization }: Estate, userId: string): Promise<unknown> {
  const query = new URLSearchParams({ userId, applicationId })
  const response = await fetch(`${service.url}${AT}/check?${query}`, { headers: { authorization } })
  return ((await response.json()) as { hasLicense: boolean }).hasLicense
}

const first = (people: string[]): string => people[0] ?? ''

describe('with very many seats taken', () => {
  test.each(['grant', 'revoke'] as const)(
    'a %s takes the statements that it takes with ten',
    async (verb) => {
      const listed = async (estate: Estate) => {
        const userId = first(estate.others)
        // Once for what is remembered from then on.
        for (const each of ['grant', 'revoke'] as const)
          expect(await post(estate, each, userId)).toBeLessThan(202)
        if (verb === 'revoke') expect(await post(estate, 'grant', userId)).toBe(201)
        const statements = await watch.list(async () => {
          expect(await post(estate, verb, userId)).toBe(verb === 'grant' ? 201 : 200)
        })
        if (verb === 'grant') expect(await post(estate, 'revoke', userId)).toBe(200)
        return statements
      }
      const statements = await listed(small)
      expect(statements).toHaveLength(2)
      expect(await listed(large)).toEqual(statements)
    },
  )

  test.runIf(FULL)(
    'a grant takes no longer than with ten',
    async () => {
      const ratios: number[] = []
      // The machine may be busy with something else: one quiet round of some will do.
      for (let round = 0; round < 5 && Math.min(...ratios) > 1.2; round++) ratios.push(await compareGrants())
      expect(Math.min(...ratios)).toBeLessThan(1.2)
    },
    120_000,
  )
})

/** How much longer a grant takes in the large tenant than in the small: medians of grants by turns. */
async function compareGrants(): Promise<number> {
  const times = new Map<Estate, number[]>([
    [small, []],
    [large, []],
  ])
  for (let index = 0; index < OTHERS; index++) {
    const both = [...times]
    if (index % 2 === 1) both.reverse()
    for (const [estate, taken] of both) {
      const { tenantId, applicationId, licenseTypeId, others } = estate
      const wish = { userId: others[index] ?? '', applicationId, licenseTypeId }
      const began = performance.now()
      await grant(service.ctx, { tenantId, actor: SYSTEM }, wish)
      taken.push(performance.now() - began)
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

describe('a check that was asked before', () => {
  test.each([
    ['a hundred', () => middle],
    ['very many', () => large],
  ])('with %s seats taken takes no statement, be the answer yes or no', async (_name, pick) => {
    const estate = pick()
    const holders = estate.seated.slice(-5)
    const rest = [...estate.others.slice(0, 5), newId()]
    const askAll = async () => {
      for (const userId of holders) expect(await holds(estate, userId)).toBe(true)
      for (const userId of rest) expect(await holds(estate, userId)).toBe(false)
    }
    await askAll()
    expect(await watch.list(askAll)).toEqual([])
  })
})
