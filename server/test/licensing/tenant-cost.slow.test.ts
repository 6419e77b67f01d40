import { afterAll, beforeAll, expect, test } from 'vitest'
import { newSomebody, type Somebody } from '../account/people.ts'
import { asOwner, startCrowdedWorld } from '../support/crowd.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { employ } from '../tenants/company.ts'
import { type Firm, grant, hire, openFirm } from './firm.ts'

// What members ask of a large tenant, counted in pages of the database that are touched.

const MEMBERS = 50_000
const ENTRIES = 100_000

let service: TestService
let watch: StatementWatch
let firm: Firm
let owner: Somebody

beforeAll(async () => {
  service = await startCrowdedWorld(2 * MEMBERS)
  firm = await openFirm(service, { seats: 100 })
  owner = await newSomebody(service)
  await employ(service, firm.company, owner, { role: 'owner' })
  for (let index = 0; index < 3; index++) await grant(firm, await hire(firm))
  const { company, applicationId, subscriptionId } = firm
  await asOwner(service, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query('set synchronous_commit = on')
    await client.query(
      `insert into memberships (id, tenant_id, user_id, role, status, joined_at, created_at, updated_at)
       select gen_random_uuid(), $1, id, 'member', 'ACTIVE', created_at, now(), now()
       from users where password_hash = 'x' order by created_at limit $2`,
      [company.id, MEMBERS],
    )
    // A long past, in which one was given and the same taken back.
    const seat = { status: 'ASSIGNED', subscriptionId }
    await client.query(
      `insert into license_ledger
         (tenant_id, sequence, occurred_at, reason, subject, subject_id, application_id, before, after)
       select $1, n + 1000, now() - interval '1 year' - n * interval '1 minute', 'GRANTED', 'seat', gen_random_uuid(), $2,
         case when n % 2 = 1 then $3::jsonb end, case when n % 2 = 0 then $3::jsonb end
       from generate_series(1, $4::bigint) as n`,
      [company.id, applicationId, JSON.stringify(seat), ENTRIES],
    )
    for (const table of ['memberships', 'license_ledger', 'seats'])
      await client.query(`vacuum analyze ${table}`)
  })
  watch = await watchStatements(service)
}, 240_000)
afterAll(async () => {
  await watch.close()
  await service.close()
})

const at = (path: string) => `/api/tenants/${firm.company.id}/licenses/${firm.applicationId}/${path}`

async function pagesFor(path: string): Promise<number> {
  expect((await owner.call('GET', path)).status).toBe(200)
  return watch.pages(() => owner.call('GET', path))
}

test.runIf(FULL)(
  'the use of seats costs what happened in the days asked for, not all that ever happened',
  async () => {
    const { body } = await owner.call('GET', at('usage?days=2'))
    expect((body.days as unknown[]).at(-1)).toMatchObject({ purchased: 100, assigned: 3 })
    expect(await pagesFor(at('usage'))).toBeLessThan(150)
    expect(await pagesFor(at('usage?days=366'))).toBeLessThan(500)
  },
)

test.runIf(FULL)('few who hold a seat are found among many members without looking at these', async () => {
  expect((await owner.call('GET', at('seats?licensed=true'))).body).toMatchObject({
    pagination: { total: 3 },
  })
  expect(await pagesFor(at('seats?licensed=true'))).toBeLessThan(300)
  expect(await pagesFor(at('seats?search=ben500@'))).toBeLessThan(500)
})

test.runIf(FULL)('all of them are read once for a page', async () => {
  const { body } = await owner.call('GET', at('seats'))
  expect(body).toMatchObject({ pagination: { total: MEMBERS + 4 } })
  expect(await pagesFor(at('seats'))).toBeLessThan(6_000)
  expect(await pagesFor(at('seats?page=2000'))).toBeLessThan(6_000)
})
