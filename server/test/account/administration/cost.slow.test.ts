import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCrowdedWorld } from '../../support/crowd.ts'
import { FULL } from '../../support/rounds.ts'
import type { TestService } from '../../support/service.ts'
import { type StatementWatch, watchStatements } from '../../support/statements.ts'
import { employ, newCompany } from '../../tenants/company.ts'
import { callAsOps, list, type ShownPage } from './calls.ts'

// What a list costs is counted in pages of the database that are touched: that is the same however busy the machine is.

const FEW = 1_000
const MANY = FULL ? 100_000 : 10_000

interface Town {
  service: TestService
  watch: StatementWatch
  size: number
}

const towns: Town[] = []
beforeAll(async () => {
  for (const size of [FEW, MANY]) {
    const service = await startCrowdedWorld(size)
    towns.push({ service, watch: await watchStatements(service), size })
  }
}, 180_000)
afterAll(async () => {
  for (const { service, watch } of towns) {
    await watch.close()
    await service.close()
  }
})

type Query = Record<string, string | number | boolean>

const large = (): TestService => (towns[1] as Town).service

/** What the same question costs among few and among many. */
async function costs(queryFor: (town: Town) => Promise<Query>): Promise<[few: number, many: number]> {
  const found: number[] = []
  for (const town of towns) {
    const query = await queryFor(town)
    await list(town.service, query)
    found.push(await town.watch.pages(() => list(town.service, query)))
  }
  return found as [number, number]
}

const midway = async ({ service, size }: Town, query: Query): Promise<Query> => {
  const { pagination } = await list(service, { ...query, page: Math.floor(size / 40) })
  return { ...query, after: pagination.next ?? '' }
}

const CASES: [string, (town: Town) => Promise<Query>][] = [
  ['the first page', async () => ({})],
  ['the first page by address', async () => ({ sort: 'email' })],
  ['the last page', async ({ size }) => ({ page: Math.ceil(size / 20) })],
  ['a page midway, by cursor', (town) => midway(town, {})],
  ['a page midway by address, by cursor', (town) => midway(town, { sort: 'email' })],
  ['a search for one address', async () => ({ search: 'ben500@new.test' })],
  ['a search that finds nobody', async () => ({ search: 'nobody' })],
  ['a search for few', async () => ({ search: 'xaver1' })],
  ['a search for most', async () => ({ search: 'b' })],
  ['a search for most, by address', async () => ({ search: 'b', sort: 'email' })],
  ['a search for most who are not disabled', async () => ({ search: 'ben', disabled: false })],
  ['those who are not disabled', async () => ({ disabled: false })],
]

test.each(CASES)('%s touches about as many pages among many as among 1,000', async (_, queryFor) => {
  const [few, many] = await costs(queryFor)
  // A tree is a little higher; and up to 10,000 entries of an index are counted, some fifty to a page.
  expect(many).toBeLessThan(few * 2 + 350)
})

test.runIf(FULL).each([
  ['a search for one in twenty', { search: 'clara' }],
  ['… by address', { search: 'clara', sort: 'email' }],
  ['a search for those who came first', { search: '@old' }],
  ['a search for one in twenty of those', { search: '@old clara' }],
])('%s touches no more than a fraction of what there is', async (_, query) => {
  const [, many] = await costs(async () => query)
  const everything = await (towns[1] as Town).watch.pages(() =>
    large().ctx.db.selectFrom('users').select('email').orderBy('website').execute(),
  )
  expect(everything).toBeGreaterThan(1_000)
  expect(many).toBeLessThan(6_000)
})

describe.runIf(FULL)('by whichever way it is come by, a list is the same', () => {
  const people = () =>
    large()
      .ctx.db.selectFrom('users')
      .select(['id', 'email', 'disabled', 'given_name', 'family_name'])
      .where('password_hash', 'is not', null)
      .orderBy('created_at')
      .orderBy('id')
      .execute()
  type Row = Awaited<ReturnType<typeof people>>[number]
  const begins = (word: string) => (row: Row) =>
    [row.email, row.given_name ?? '', row.family_name ?? '', `@${row.email.split('@')[1]}`].some((text) =>
      text.toLowerCase().startsWith(word),
    )

  const QUERIES: [Query, (row: Row) => boolean][] = [
    [{ search: 'clara' }, begins('clara')],
    [{ search: 'b' }, begins('b')],
    [{ search: '@old' }, begins('@old')],
    [{ search: 'family' }, begins('family')],
    [
      { search: '@new ben', disabled: false },
      (row) => begins('@new')(row) && begins('ben')(row) && !row.disabled,
    ],
    [{ search: '@old wanda' }, (row) => begins('@old')(row) && begins('wanda')(row)],
    [{ search: 'ben', disabled: true }, (row) => begins('ben')(row) && row.disabled],
    [{ disabled: false }, (row) => !row.disabled],
    [{}, () => true],
  ]
  test.each(QUERIES)('%j', async (query, fits) => {
    const all = (await people()).filter(fits)
    for (const sort of ['createdAt', '-createdAt', 'email', '-email']) {
      const expected = [...all].map(({ email }) => email)
      if (sort.endsWith('email')) expected.sort()
      if (sort.startsWith('-')) expected.reverse()
      const pages: ShownPage[] = []
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

  test('also for those who have joined a tenant of many', async () => {
    const company = await newCompany(large())
    const some = (await people()).filter((_, index) => index % 5 === 0)
    for (const person of some.slice(0, 50)) await employ(large(), company, person)
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
    expect((await list(large())).pagination).toMatchObject({ total: MANY + 6, totalIsExact: true })
    const far = await callAsOps(large(), 'GET', '?search=ben&page=501')
    expect(far).toMatchObject({ status: 422, body: { details: [{ field: 'page' }] } })
    expect((await list(large(), { search: 'ben', page: 500 })).users).toHaveLength(20)
    expect((await list(large(), { page: 2_500 })).users).toHaveLength(20)
  })
})
