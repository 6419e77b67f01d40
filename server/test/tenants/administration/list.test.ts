import { randomBytes } from 'node:crypto'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Tables } from '../../../src/db/tables.ts'
import { pageOfTenants } from '../../../src/tenants/administration/service.ts'
import { addPerson } from '../../account/people.ts'
import { callAsOps, mustBe } from '../../licensing/firm.ts'
import { openTestPool } from '../../support/database.ts'
import type { TestService } from '../../support/service.ts'
import { startWorld } from '../../support/world.ts'
import { employ, newCompany } from '../company.ts'
import { setSuspended } from './scene.ts'

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
  service = await startWorld()
})
afterAll(() => service?.close())

const list = async (query: Record<string, string | number>): Promise<Page> => {
  const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return (await mustBe(200, callAsOps(service, 'GET', `/api/admin/tenants?${text}`))).body as never
}

/** So many tenants at once, past the service; numbered in the order in which they were made. */
async function lay(prefix: string, many: number): Promise<void> {
  await sql`
    insert into tenants (id, slug, name, created_at, updated_at)
    select gen_random_uuid(), ${prefix} || '-' || n, initcap(${prefix}) || ' No ' || lpad(n::text, 6, '0'),
      now() - make_interval(secs => ${many} - n) - interval '1 day', now()
    from generate_series(1, ${many}::int) as n
  `.execute(service.ctx.db)
}

const mark = () => `m${randomBytes(4).toString('hex')}`
const namesOf = ({ tenants }: Page) => tenants.map(({ name }) => name)

/** Goes on until there is no more. */
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
  test('finds what the name or the slug begins with, whatever letters it is written in', async () => {
    const word = mark()
    const [one, two] = [await newCompany(service), await newCompany(service)]
    const call = (id: string, change: object) =>
      callAsOps(service, 'PATCH', `/api/admin/tenants/${id}`, change)
    await mustBe(200, call(one.id, { name: `${word.toUpperCase()} ÄPFEL & Co` }))
    await mustBe(200, call(two.id, { slug: `${word}-two` }))
    const found = async (search: string) => (await list({ search })).tenants.map(({ id }) => id).sort()
    expect(await found(word)).toEqual([one.id, two.id].sort())
    expect(await found(`  ${word.toUpperCase()} `)).toEqual([one.id, two.id].sort())
    expect(await found(`${word} äpf`)).toEqual([one.id])
    expect(await found(`${word}-`)).toEqual([two.id])
    for (const nothing of [`x${word}`, `${word}%`, `${word}_`, `%${word}`, 'äpfel', "' or 1=1 --", '\\']) {
      expect(await found(nothing), nothing).toEqual([])
    }
  })

  test('goes with every other wish', async () => {
    const word = mark()
    await lay(word, 6)
    const person = await addPerson(service)
    const { tenants } = await list({ search: word, sort: 'name' })
    const [first, second] = tenants as [Listed, Listed]
    for (const tenant of [first, second]) await employ(service, tenant, person)
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
  test('is the newest first, or by name or slug, page by page and by cursor alike', async () => {
    const word = mark()
    await lay(word, 25)
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

  test('holds while tenants come and go: none is told twice, and none that stays is left out', async () => {
    const word = mark()
    await lay(word, 30)
    const there = (await readAll({ search: word, limit: 100 })).map(({ id }) => id)
    for (const sort of ['-createdAt', 'name', 'slug']) {
      let added = 0
      const seen = await readAll({ search: word, sort, limit: 4 }, async () => {
        await lay(`${word}x${sort.length}${added++}`, 1)
        // The last one seen may be the one that goes.
        await sql`delete from tenants where id = (
          select id from tenants where name_key like ${`${word}x%`} order by random() limit 1)`.execute(
          service.ctx.db,
        )
      })
      const ids = seen.map(({ id }) => id)
      expect(new Set(ids).size, sort).toBe(ids.length)
      expect(
        there.filter((id) => !ids.includes(id)),
        sort,
      ).toEqual([])
    }
  })

  test('a cursor outlives the tenant it was made from', async () => {
    const word = mark()
    await lay(word, 3)
    const { tenants, pagination } = await list({ search: word, sort: 'name', limit: 1 })
    await mustBe(200, callAsOps(service, 'DELETE', `/api/admin/tenants/${tenants[0]?.id}`))
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
])('%s=%s is refused, and the field named', async (name, value) => {
  const query = new URLSearchParams({ [name]: value })
  const answer = await callAsOps(service, 'GET', `/api/admin/tenants?${query}`)
  expect(answer).toMatchObject({ status: 422, body: { details: [{ field: name }] } })
})

function cursor(key: unknown, id = '0197b2a0-0000-7000-8000-000000000000'): string {
  return Buffer.from(JSON.stringify(['-createdAt', key, id])).toString('base64url')
}

describe('of very many', () => {
  const MANY = 20_000
  beforeAll(async () => {
    await lay('crowd', MANY)
    await lay('pair', 2)
    await sql`analyze tenants`.execute(service.ctx.db)
  })

  test('no more than 10,000 are counted, and the answer says so', async () => {
    const { pagination } = await list({ limit: 100 })
    const { next, ...counted } = pagination
    const bounded = { page: 1, limit: 100, total: 10_000, pages: 100, totalIsExact: false }
    expect(counted).toEqual(bounded)
    expect(next).toEqual(expect.any(String))
    expect((await list({ search: 'crowd', page: 200, limit: 100 })).tenants).toHaveLength(100)
    expect((await list({ search: 'pair-' })).pagination).toMatchObject({ total: 2, totalIsExact: true })
  })

  test('a page costs about as much wherever it is and whatever is asked for', async () => {
    const middle = async (sort: string) => (await list({ sort, page: 100, limit: 100 })).pagination.next ?? ''
    const costs = async (wish: object) =>
      (await blocksOf((db) => pageOfTenants({ ...service.ctx, db }, { ...FIRST, ...wish } as never)))[0]
    const all = (await blocksOf((db) => db.selectFrom('tenants').selectAll().execute()))[0] ?? 0
    for (const sort of ['-createdAt', 'name', 'slug']) {
      for (const wish of [{}, { after: await middle(sort) }, { search: 'pair' }, { search: 'nobody' }]) {
        expect(await costs({ sort, ...wish }), JSON.stringify({ sort, ...wish })).toBeLessThan(all)
      }
    }
  })

  const FIRST = { page: 1, limit: 20, sort: '-createdAt' }

  /** How many blocks the database looks at for each statement of some work. */
  async function blocksOf(work: (db: Kysely<Tables>) => Promise<unknown>): Promise<number[]> {
    const asked: { sql: string; parameters: readonly unknown[] }[] = []
    const pool = openTestPool(service.connection.direct)
    const dialect = new PostgresDialect({ pool })
    const db = new Kysely<Tables>({ dialect, log: ({ query }) => void asked.push(query) })
    try {
      await work(db)
      const blocks = []
      for (const { sql: text, parameters } of asked) {
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
