import { afterAll, beforeAll, expect, test } from 'vitest'
import { newSomebody, type Somebody } from '../account/people.ts'
import { asOwner, startCrowdedWorld } from '../support/crowd.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { type Company, employ, newCompany } from './company.ts'

// What a search costs is counted in pages of the database that are touched: that is the same however busy the machine is.

const MANY = 100_000
const FEW = 200

let service: TestService
let watch: StatementWatch
let owner: Somebody
let large: Company
let small: Company

beforeAll(async () => {
  service = await startCrowdedWorld(MANY)
  owner = await newSomebody(service)
  large = await newCompany(service)
  small = await newCompany(service)
  for (const company of [large, small]) await employ(service, company, owner, { role: 'owner' })
  await asOwner(service, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query('set synchronous_commit = on')
    const join = `insert into memberships (id, tenant_id, user_id, role, status, joined_at, created_at, updated_at)
      select gen_random_uuid(), $1, id, 'member', 'ACTIVE', created_at, now(), now()
      from users where password_hash = 'x' order by created_at desc limit $2`
    await client.query(join, [large.id, MANY])
    await client.query(join, [small.id, FEW])
    await client.query('vacuum analyze memberships')
  })
  watch = await watchStatements(service)
}, 180_000)
afterAll(async () => {
  await watch.close()
  await service.close()
})

async function search({ id }: Company, words: string): Promise<number> {
  const { body } = await owner.call('GET', `/api/tenants/${id}/members?search=${encodeURIComponent(words)}`)
  return (body as { pagination: { total: number } }).pagination.total
}

async function pagesFor(company: Company, words: string): Promise<number> {
  await search(company, words)
  return watch.pages(() => search(company, words))
}

test.runIf(FULL).each([
  ['one address', 'ben50000@new.test', 1],
  ['a name of few', 'xaver', 100],
  ['a word of everybody and a name of few', 'family xaver', 100],
  ['several common words and an address', '@new ben family ben50000', 1],
  ['nobody', 'nobody', 0],
])('a search for %s touches few pages of a tenant with 100,000 members', async (_, words, total) => {
  expect(await search(large, words)).toBe(total)
  expect(await pagesFor(large, words)).toBeLessThan(1_500)
})

test.runIf(FULL).each([
  ['one in twenty', 'clara', 5_000],
  ['one in twenty of the eldest', '@old clara', 500],
  ['nearly everybody', 'b', 93_900],
  ['everybody', '@', MANY + 1],
])('a search for %s reads what there is once, and counts exactly', async (_, words, total) => {
  expect(await search(large, words)).toBe(total)
  // Asking each of the members would touch 300,000.
  expect(await pagesFor(large, words)).toBeLessThan(25_000)
})

test.runIf(FULL).each(['b', '@', 'clara', 'ben family7', '@new b'])(
  'a search for %j in a small tenant does not cost what the instance is large',
  async (words) => {
    expect(await pagesFor(small, words)).toBeLessThan(3_000)
  },
)
