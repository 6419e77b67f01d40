import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWithManyUsers } from '../support/many-users.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { insertMembership, insertTenant } from '../tenants/tenant-rows.ts'
import { callAsOps, list, type UserPage } from './calls.ts'

// The cost is measured in database pages read, which does not depend on the load of the machine.

const SMALL_SIZE = 1_000
const LARGE_SIZE = FULL ? 100_000 : 10_000

interface Instance {
  service: TestService
  watch: StatementWatch
  size: number
}

const instances: Instance[] = []
beforeAll(async () => {
  for (const size of [SMALL_SIZE, LARGE_SIZE]) {
    const service = await startWithManyUsers(size)
    instances.push({ service, watch: await watchStatements(service), size })
  }
})
afterAll(async () => {
  for (const { service, watch } of instances) {
    await watch.close()
    await service.close()
  }
})

type Query = Record<string, string | number | boolean>

const large = (): TestService => (instances[1] as Instance).service

/** The cost of the same query with few and with many users. */
async function costs(queryFor: (instance: Instance) => Promise<Query>): Promise<[small: number, large: number]> {
  const pages: number[] = []
  for (const instance of instances) {
    const query = await queryFor(instance)
    await list(instance.service, query)
    pages.push(await instance.watch.pages(() => list(instance.service, query)))
  }
  return pages as [number, number]
}

const midway = async ({ service, size }: Instance, query: Query): Promise<Query> => {
  const { pagination } = await list(service, { ...query, page: Math.floor(size / 40) })
  return { ...query, after: pagination.next ?? '' }
}

const CASES: [string, (instance: Instance) => Promise<Query>][] = [
  ['the first page', async () => ({})],
  ['the first page by address', async () => ({ sort: 'email' })],
  ['the last page', async ({ size }) => ({ page: Math.ceil(size / 20) })],
  ['a page midway, by cursor', (instance) => midway(instance, {})],
  ['a page midway by address, by cursor', (instance) => midway(instance, { sort: 'email' })],
  ['a search for one address', async () => ({ search: 'ben500@new.test' })],
  ['a search that finds nobody', async () => ({ search: 'nobody' })],
  ['a search for few', async () => ({ search: 'xaver1' })],
  ['a search for most', async () => ({ search: 'b' })],
  ['a search for most, by address', async () => ({ search: 'b', sort: 'email' })],
  ['a search for most who are not disabled', async () => ({ search: 'ben', disabled: false })],
  ['those who are not disabled', async () => ({ disabled: false })],
]

test.each(CASES)('%s reads about as many database pages with many users as with 1,000', async (_, queryFor) => {
  const [small, large] = await costs(queryFor)
  // The larger index is a little deeper, and up to 10,000 index entries are counted, some fifty per page.
  expect(large).toBeLessThan(small * 2 + 350)
})

test.runIf(FULL).each([
  ['a search for one in twenty', { search: 'clara' }],
  ['… by address', { search: 'clara', sort: 'email' }],
  ['a search for those who came first', { search: '@old' }],
  ['a search for one in twenty of those', { search: '@old clara' }],
])('%s reads no more than a fraction of the table', async (_, query) => {
  const [, cost] = await costs(async () => query)
  const fullScan = await (instances[1] as Instance).watch.pages(() =>
    large().ctx.db.selectFrom('users').select('email').orderBy('website').execute(),
  )
  expect(fullScan).toBeGreaterThan(1_000)
  expect(cost).toBeLessThan(6_000)
})

describe.runIf(FULL)('every query strategy returns the same list', () => {
  const people = () =>
    large()
      .ctx.db.selectFrom('users')
      .select(['id', 'email', 'disabled', 'given_name', 'family_name'])
      .where('password_hash', 'is not', null)
      .orderBy('created_at')
      .orderBy('id')
      .execute()
  type Row = Awaited<ReturnType<typeof people>>[number]
  const matchesPrefix = (word: string) => (row: Row) =>
    [row.email, row.given_name ?? '', row.family_name ?? '', `@${row.email.split('@')[1]}`].some((text) =>
      text.toLowerCase().startsWith(word),
    )

  const QUERIES: [Query, (row: Row) => boolean][] = [
    [{ search: 'clara' }, matchesPrefix('clara')],
    [{ search: 'b' }, matchesPrefix('b')],
    [{ search: '@old' }, matchesPrefix('@old')],
    [{ search: 'family' }, matchesPrefix('family')],
    [
      { search: '@new ben', disabled: false },
      (row) => matchesPrefix('@new')(row) && matchesPrefix('ben')(row) && !row.disabled,
    ],
    [{ search: '@old wanda' }, (row) => matchesPrefix('@old')(row) && matchesPrefix('wanda')(row)],
    [{ search: 'ben', disabled: true }, (row) => matchesPrefix('ben')(row) && row.disabled],
    [{ disabled: false }, (row) => !row.disabled],
    [{}, () => true],
  ]
  test.each(QUERIES)('%j', async (query, isMatch) => {
    const all = (await people()).filter(isMatch)
    for (const sort of ['createdAt', '-createdAt', 'email', '-email']) {
      const expected = [...all].map(({ email }) => email)
      if (sort.endsWith('email')) expected.sort()
      if (sort.startsWith('-')) expected.reverse()
      const pages: UserPage[] = []
      for (let next: string | null | undefined; next !== null && pages.length < 3; ) {
        pages.push(await list(large(), { ...query, sort, limit: 40, ...(next ? { after: next } : {}) }))
        next = pages.at(-1)?.pagination.next
      }
      const seen = pages.flatMap(({ users }) => users.map(({ email }) => email))
      expect(seen).toEqual(expected.slice(0, seen.length))
      expect(seen.length).toBe(Math.min(expected.length, 120))
      const second = await list(large(), { ...query, sort, limit: 40, page: 2 })
      expect(second.users.map(({ email }) => email)).toEqual(expected.slice(40, 80))
      for (const { pagination } of pages.slice(0, 1)) {
        if (pagination.totalIsExact) expect(pagination.total).toBe(expected.length)
        else expect(pagination.total).toBeLessThanOrEqual(Math.min(expected.length, 10_000))
      }
    }
  })

  test('the members of a large tenant', async () => {
    const company = await insertTenant(large())
    const some = (await people()).filter((_, index) => index % 5 === 0)
    for (const person of some.slice(0, 50)) await insertMembership(large(), company, person)
    const { users, pagination } = await list(large(), { tenantId: company.id, sort: 'createdAt', limit: 50 })
    expect(users.map(({ id }) => id)).toEqual(some.slice(0, 50).map(({ id }) => id))
    expect(pagination).toMatchObject({ total: 50, totalIsExact: true, next: null })
  })

  test('a total is exact up to 10,000, and says when it is not', async () => {
    const { pagination } = await list(large(), { search: 'clara' })
    expect(pagination).toMatchObject({ total: 5_000, totalIsExact: true })
    expect((await list(large(), { search: 'ben' })).pagination).toMatchObject({
      total: 10_000,
      totalIsExact: false,
      next: expect.any(String),
    })
    expect((await list(large())).pagination).toMatchObject({ total: LARGE_SIZE + 6, totalIsExact: true })
    const far = await callAsOps(large(), 'GET', '?search=ben&page=501')
    expect(far).toMatchObject({ status: 422, body: { details: [{ field: 'page' }] } })
    expect((await list(large(), { search: 'ben', page: 500 })).users).toHaveLength(20)
    expect((await list(large(), { page: 2_500 })).users).toHaveLength(20)
  })
})
