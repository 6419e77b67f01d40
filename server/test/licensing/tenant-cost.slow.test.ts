import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSignedInUser, type TestUser } from '../account/people.ts'
import { asSuperuser, startWithManyUsers } from '../support/many-users.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { insertMembership } from '../tenants/tenant-rows.ts'
import { addTenantMember, createLicensedTenant, grant, type LicensedTenant } from './licensed-tenant.ts'

// The cost of requests to a large tenant, in database pages that are read.

const MEMBER_COUNT = 50_000
const LEDGER_ENTRY_COUNT = 100_000

let service: TestService
let watch: StatementWatch
let firm: LicensedTenant
let owner: TestUser

beforeAll(async () => {
  service = await startWithManyUsers(2 * MEMBER_COUNT)
  firm = await createLicensedTenant(service, { seats: 100 })
  owner = await createSignedInUser(service)
  await insertMembership(service, firm.company, owner, { role: 'owner' })
  for (let index = 0; index < 3; index++) await grant(firm, await addTenantMember(firm))
  const { company, applicationId, subscriptionId } = firm
  await asSuperuser(service, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query('set synchronous_commit = on')
    await client.query(
      `insert into memberships (id, tenant_id, user_id, role, status, joined_at, created_at, updated_at)
       select gen_random_uuid(), $1, id, 'member', 'ACTIVE', created_at, now(), now()
       from users where password_hash = 'x' order by created_at limit $2`,
      [company.id, MEMBER_COUNT],
    )
    // Old entries, alternating between a grant and a revocation.
    const seat = { status: 'ASSIGNED', subscriptionId }
    await client.query(
      `insert into license_ledger
         (tenant_id, sequence, occurred_at, reason, subject, subject_id, application_id, before, after)
       select $1, n + 1000, now() - interval '1 year' - n * interval '1 minute', 'GRANTED', 'seat', gen_random_uuid(), $2,
         case when n % 2 = 1 then $3::jsonb end, case when n % 2 = 0 then $3::jsonb end
       from generate_series(1, $4::bigint) as n`,
      [company.id, applicationId, JSON.stringify(seat), LEDGER_ENTRY_COUNT],
    )
    for (const table of ['memberships', 'license_ledger', 'seats']) await client.query(`vacuum analyze ${table}`)
  })
  watch = await watchStatements(service)
})
afterAll(async () => {
  await watch.close()
  await service.close()
})

const toPath = (path: string) => `/api/tenants/${firm.company.id}/licenses/${firm.applicationId}/${path}`

async function countPages(path: string): Promise<number> {
  expect((await owner.call('GET', path)).status).toBe(200)
  return watch.pages(() => owner.call('GET', path))
}

test.runIf(FULL)('daily usage reads only the ledger entries of the requested days', async () => {
  const { body } = await owner.call('GET', toPath('usage?days=2'))
  expect((body.days as unknown[]).at(-1)).toMatchObject({ purchased: 100, assigned: 3 })
  expect(await countPages(toPath('usage'))).toBeLessThan(150)
  expect(await countPages(toPath('usage?days=366'))).toBeLessThan(500)
})

test.runIf(FULL)('a few seat holders among many members are found without reading all members', async () => {
  expect((await owner.call('GET', toPath('seats?licensed=true'))).body).toMatchObject({
    pagination: { total: 3 },
  })
  expect(await countPages(toPath('seats?licensed=true'))).toBeLessThan(300)
  expect(await countPages(toPath('seats?search=ben500@'))).toBeLessThan(500)
})

test.runIf(FULL)('a page without filters reads every member once', async () => {
  const { body } = await owner.call('GET', toPath('seats'))
  expect(body).toMatchObject({ pagination: { total: MEMBER_COUNT + 4 } })
  expect(await countPages(toPath('seats'))).toBeLessThan(6_000)
  expect(await countPages(toPath('seats?page=2000'))).toBeLessThan(6_000)
})
