import { randomBytes } from 'node:crypto'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Tables } from '../../../src/db/tables.ts'
import { getTenantPage } from '../../../src/tenants/administration/service.ts'
import { insertUser } from '../../account/people.ts'
import { callAsOps, requireStatus } from '../../licensing/licensed-tenant.ts'
import { openTestPool } from '../../support/database.ts'
import type { TestService } from '../../support/service.ts'
import { startDemoService } from '../../support/world.ts'
import { insertMembership, insertTenant } from '../tenant-rows.ts'
import { setSuspended } from './fixture.ts'

interface Listed {
  id: string
  name: string
  slug: string
  suspended: boolean
  createdAt: string
}
interface Page {
  tenants: Listed[]
  pagination: {
    page: number
    limit: number
    total: number
    pages: number
    totalIsExact: boolean
    next: string | null
  }
}

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service?.close())

const list = async (query: Record<string, string | number>): Promise<Page> => {
  const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return (await requireStatus(200, callAsOps(service, 'GET', `/api/admin/tenants?${text}`))).body as never
}

/** Inserts tenants without the API, numbered in the order of their creation. */
async function insertTenants(prefix: string, count: number): Promise<void> {
  await sql`
    insert into tenants (id, slug, name, created_at, updated_at)
    select gen_random_uuid(), ${prefix} || '-' || n, initcap(${prefix}) || ' No ' || lpad(n::text, 6, '0'),
      now() - make_interval(secs => ${count} - n) - interval '1 day', now()
    from generate_series(1, ${count}::int) as n
  `.execute(service.ctx.db)
}

const randomWord = () => `m${randomBytes(4).toString('hex')}`
const namesOf = ({ tenants }: Page) => tenants.map(({ name }) => name)

/** Follows the cursor to the end of the list. */
async function readAll(query: Record<string, string | number>, between = async () => {}): Promise<Listed[]> {
  const all: Listed[] = []
  for (let next: string | null | undefined; next !== null; ) {
    const page = await list({ ...query, ...(next !== undefined && { after: next }) })
    all.push(...page.tenants)
    next = page.pagination.next
    await between()
  }
  return all
}

describe('a search', () => {
  test('finds prefixes of the name and the slug, case-insensitively', async () => {
    const word = randomWord()
    const [one, two] = [await insertTenant(service), await insertTenant(service)]
    const call = (id: string, change: object) => callAsOps(service, 'PATCH', `/api/admin/tenants/${id}`, change)
    await requireStatus(200, call(one.id, { name: `${word.toUpperCase()} ÄPFEL & Co` }))
    await requireStatus(200, call(two.id, { slug: `${word}-two` }))
    const findIds = async (search: string) => (await list({ search })).tenants.map(({ id }) => id).sort()
    expect(await findIds(word)).toEqual([one.id, two.id].sort())
    expect(await findIds(`  ${word.toUpperCase()} `)).toEqual([one.id, two.id].sort())
    expect(await findIds(`${word} äpf`)).toEqual([one.id])
    expect(await findIds(`${word}-`)).toEqual([two.id])
    for (const nothing of [`x${word}`, `${word}%`, `${word}_`, `%${word}`, 'äpfel', "' or 1=1 --", '\\']) {
      expect(await findIds(nothing), nothing).toEqual([])
    }
  })

  test('can be combined with the other filters', async () => {
    const word = randomWord()
    await insertTenants(word, 6)
    const person = await insertUser(service)
    const { tenants } = await list({ search: word, sort: 'name' })
    const [first, second] = tenants as [Listed, Listed]
    for (const tenant of [first, second]) await insertMembership(service, tenant, person)
    await setSuspended(service, second, true)
    const slugs = async (query: object) =>
      (await list({ search: word, sort: 'slug', ...query })).tenants.map(({ slug }) => slug)
    expect(await slugs({ userId: person.id })).toEqual([first.slug, second.slug])
    expect(await slugs({ userId: person.id, suspended: 'true' })).toEqual([second.slug])
    expect(await slugs({ userId: person.id.toUpperCase(), suspended: 'false' })).toEqual([first.slug])
    expect(await slugs({ suspended: 'false' })).toHaveLength(5)
    for (const nobody of ['nobody', '00000000-0000-0000-0000-000000000000']) {
      expect(await slugs({ userId: nobody })).toEqual([])
    }
  })
})

describe('the order', () => {
  test('is newest first, by name or by slug, with page numbers and with cursors', async () => {
    const word = randomWord()
    await insertTenants(word, 25)
    const names = Array.from(
      { length: 25 },
      (_, n) => `${word[0]?.toUpperCase()}${word.slice(1)} No ${String(n + 1).padStart(6, '0')}`,
    )
    const bySlug = [...names].sort((a, b) => (slugOf(a) < slugOf(b) ? -1 : 1))
    const orders = { '-createdAt': [...names].reverse(), name: names, slug: bySlug }
    for (const [sort, expected] of Object.entries(orders)) {
      const paged = []
      for (let page = 1; page <= 3; page++) {
        paged.push(...namesOf(await list({ search: word, sort, page, limit: 10 })))
      }
      expect(paged, sort).toEqual(expected)
      const read = await readAll({ search: word, sort, limit: 7 })
      expect(
        read.map(({ name }) => name),
        sort,
      ).toEqual(expected)
    }
    expect(namesOf(await list({ search: word }))).toEqual(orders['-createdAt'].slice(0, 20))
  })

  const slugOf = (name: string) => `-${Number(name.slice(-6))}`

  test('is stable while tenants are added and deleted: none is repeated, and no existing one is missing', async () => {
    const word = randomWord()
    await insertTenants(word, 30)
    const existing = (await readAll({ search: word, limit: 100 })).map(({ id }) => id)
    for (const sort of ['-createdAt', 'name', 'slug']) {
      let added = 0
      const listed = await readAll({ search: word, sort, limit: 4 }, async () => {
        await insertTenants(`${word}x${sort.length}${added++}`, 1)
        // The deleted tenant may be the one that the cursor points to.
        await sql`delete from tenants where id = (
          select id from tenants where name_key like ${`${word}x%`} order by random() limit 1)`.execute(service.ctx.db)
      })
      const ids = listed.map(({ id }) => id)
      expect(new Set(ids).size, sort).toBe(ids.length)
      expect(
        existing.filter((id) => !ids.includes(id)),
        sort,
      ).toEqual([])
    }
  })

  test('a cursor stays valid when its tenant is deleted', async () => {
    const word = randomWord()
    await insertTenants(word, 3)
    const { tenants, pagination } = await list({ search: word, sort: 'name', limit: 1 })
    await requireStatus(200, callAsOps(service, 'DELETE', `/api/admin/tenants/${tenants[0]?.id}`))
    expect((await list({ search: word, sort: 'name', after: pagination.next ?? '' })).tenants).toHaveLength(2)
  })
})

test.each([
  ['page', '0'],
  ['page', 'x'],
  ['limit', '0'],
  ['limit', '-1'],
  ['sort', 'createdAt'],
  ['sort', 'name; drop table tenants'],
  ['suspended', 'perhaps'],
  ['search', 'x'.repeat(201)],
  ['after', 'nothing'],
  ['after', Buffer.from('["name","a","00000000-0000-7000-8000-000000000000"]').toString('base64url')],
  ['after', cursor('2024-02-30T00:00:00.000000Z')],
  ['after', cursor('0000-01-01T00:00:00.000000Z')],
  ['after', cursor('yesterday')],
  ['after', cursor('2024-02-01T00:00:00.000000Z', 'no id')],
  ['after', cursor({ $gt: '' })],
])('%s=%s is refused with the name of the field', async (name, value) => {
  const query = new URLSearchParams({ [name]: value })
  const response = await callAsOps(service, 'GET', `/api/admin/tenants?${query}`)
  expect(response).toMatchObject({ status: 422, body: { details: [{ field: name }] } })
})

function cursor(key: unknown, id = '0197b2a0-0000-7000-8000-000000000000'): string {
  return Buffer.from(JSON.stringify(['-createdAt', key, id])).toString('base64url')
}

describe('with many tenants', () => {
  const TENANTS = 20_000
  beforeAll(async () => {
    await insertTenants('crowd', TENANTS)
    await insertTenants('pair', 2)
    await sql`analyze tenants`.execute(service.ctx.db)
  })

  test('the total is limited to 10,000 and marked as not exact', async () => {
    const { pagination } = await list({ limit: 100 })
    const { next, ...counted } = pagination
    const bounded = { page: 1, limit: 100, total: 10_000, pages: 100, totalIsExact: false }
    expect(counted).toEqual(bounded)
    expect(next).toEqual(expect.any(String))
    expect((await list({ search: 'crowd', page: 200, limit: 100 })).tenants).toHaveLength(100)
    expect((await list({ search: 'pair-' })).pagination).toMatchObject({ total: 2, totalIsExact: true })
  })

  test('every page reads fewer blocks than the whole table', async () => {
    const middle = async (sort: string) => (await list({ sort, page: 100, limit: 100 })).pagination.next ?? ''
    const countBlocks = async (query: object) =>
      (await blocksOf((db) => getTenantPage({ ...service.ctx, db }, { ...FIRST_PAGE, ...query } as never)))[0]
    const all = (await blocksOf((db) => db.selectFrom('tenants').selectAll().execute()))[0] ?? 0
    for (const sort of ['-createdAt', 'name', 'slug']) {
      for (const query of [{}, { after: await middle(sort) }, { search: 'pair' }, { search: 'nobody' }]) {
        expect(await countBlocks({ sort, ...query }), JSON.stringify({ sort, ...query })).toBeLessThan(all)
      }
    }
  })

  const FIRST_PAGE = { page: 1, limit: 20, sort: '-createdAt' }

  /** The number of blocks that each statement reads. */
  async function blocksOf(work: (db: Kysely<Tables>) => Promise<unknown>): Promise<number[]> {
    const statements: { sql: string; parameters: readonly unknown[] }[] = []
    const pool = openTestPool(service.connection.direct)
    const dialect = new PostgresDialect({ pool })
    const db = new Kysely<Tables>({ dialect, log: ({ query }) => void statements.push(query) })
    try {
      await work(db)
      const blocks = []
      for (const { sql: text, parameters } of statements) {
        const { rows } = await pool.query(`explain (analyze, buffers, format json) ${text}`, [...parameters])
        const [{ Plan: plan }] = rows[0]['QUERY PLAN']
        blocks.push(plan['Shared Hit Blocks'] + plan['Shared Read Blocks'])
      }
      return blocks
    } finally {
      await db.destroy()
    }
  }
})
