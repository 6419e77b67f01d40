import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSignedInUser, type TestUser } from '../account/people.ts'
import { asSuperuser, startWithManyUsers } from '../support/many-users.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { insertMembership, insertTenant, type TestTenant } from './tenant-rows.ts'

// The cost of a search is measured in database pages, which do not depend on the load of the machine.

const LARGE_TENANT_MEMBERS = 100_000
const SMALL_TENANT_MEMBERS = 200

let service: TestService
let watch: StatementWatch
let owner: TestUser
let large: TestTenant
let small: TestTenant

beforeAll(async () => {
  service = await startWithManyUsers(LARGE_TENANT_MEMBERS)
  owner = await createSignedInUser(service)
  large = await insertTenant(service)
  small = await insertTenant(service)
  for (const company of [large, small]) await insertMembership(service, company, owner, { role: 'owner' })
  await asSuperuser(service, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query('set synchronous_commit = on')
    const join = `insert into memberships (id, tenant_id, user_id, role, status, joined_at, created_at, updated_at)
      select gen_random_uuid(), $1, id, 'member', 'ACTIVE', created_at, now(), now()
      from users where password_hash = 'x' order by created_at desc limit $2`
    await client.query(join, [large.id, LARGE_TENANT_MEMBERS])
    await client.query(join, [small.id, SMALL_TENANT_MEMBERS])
    await client.query('vacuum analyze memberships')
  })
  watch = await watchStatements(service)
})
afterAll(async () => {
  await watch.close()
  await service.close()
})

async function search({ id }: TestTenant, words: string): Promise<number> {
  const { body } = await owner.call('GET', `/api/tenants/${id}/members?search=${encodeURIComponent(words)}`)
  return (body as { pagination: { total: number } }).pagination.total
}

async function pagesFor(company: TestTenant, words: string): Promise<number> {
  await search(company, words)
  return watch.pages(() => search(company, words))
}

test.runIf(FULL).each([
  ['one address', 'ben50000@new.test', 1],
  ['a rare name', 'xaver', 100],
  ['a word that matches everybody and a rare name', 'family xaver', 100],
  ['several common words and an address', '@new ben family ben50000', 1],
  ['nobody', 'nobody', 0],
])('a search for %s reads few pages in a tenant with 100,000 members', async (_, words, total) => {
  expect(await search(large, words)).toBe(total)
  expect(await pagesFor(large, words)).toBeLessThan(1_500)
})

test.runIf(FULL).each([
  ['one in twenty', 'clara', 5_000],
  ['one in twenty of the oldest', '@old clara', 500],
  ['nearly everybody', 'b', 93_900],
  ['everybody', '@', LARGE_TENANT_MEMBERS + 1],
])('a search for %s reads each page once and counts exactly', async (_, words, total) => {
  expect(await search(large, words)).toBe(total)
  // A lookup per member would read 300,000 pages.
  expect(await pagesFor(large, words)).toBeLessThan(25_000)
})

test.runIf(FULL).each(['b', '@', 'clara', 'ben family7', '@new b'])(
  'the cost of a search for %j in a small tenant does not depend on the size of the instance',
  async (words) => {
    expect(await pagesFor(small, words)).toBeLessThan(3_000)
  },
)
