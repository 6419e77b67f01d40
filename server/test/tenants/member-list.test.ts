import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { createSignedInUser, insertUser, type TestUser } from '../account/people.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { startDemoService } from '../support/world.ts'

const MEMBERS = 4_600
const PER_PAGE = 100

let service: TestService
let owner: TestUser
let tenantId: string

beforeAll(async () => {
  service = await startDemoService()
  owner = await createSignedInUser(service)
  tenantId = String((await owner.call('POST', '/api/tenants', { name: 'Many hands' })).body.id)
  await sql`
    insert into users (id, email, email_verified, is_super_admin, created_at, updated_at)
    select gen_random_uuid(), 'hand-' || n || '@people.test', true, false, now(), now()
    from generate_series(1, ${MEMBERS}::int) as n`.execute(service.ctx.db)
  // Many members have the same joining time, and the times differ by microseconds, which JavaScript dates cannot hold.
  await sql`
    insert into memberships (id, tenant_id, user_id, role, status, joined_at, created_at, updated_at)
    select gen_random_uuid(), ${tenantId}::uuid, id,
      case when random() < 0.4 then 'admin' else 'member' end,
      case when random() < 0.4 then 'SUSPENDED' else 'ACTIVE' end,
      now() - interval '1 year' + (random() * 900)::int * interval '1 microsecond', now(), now()
    from users where email like 'hand-%'`.execute(service.ctx.db)
})
afterAll(() => service.close())

interface Page {
  members: { id: string }[]
  pagination: { page: number; limit: number; total: number; pages: number }
}

const list = async (query = ''): Promise<Page> =>
  (await owner.call('GET', `/api/tenants/${tenantId}/members?limit=${PER_PAGE}${query}`)).body as unknown as Page

/** The whole list, with its pages requested in a scattered order. */
async function readAllPages(query = ''): Promise<string[]> {
  const { pages } = (await list(query)).pagination
  const numbers = Array.from({ length: pages }, (_, index) => index + 1)
  const scattered = numbers.toSorted((a, b) => ((a * 17) % pages) - ((b * 17) % pages))
  const found = new Map<number, string[]>()
  for (const page of scattered) {
    const { members } = await list(`${query}&page=${page}`)
    found.set(
      page,
      members.map(({ id }) => id),
    )
  }
  return numbers.flatMap((page) => found.get(page) ?? [])
}

/** The expected list, from a simple query without counts and caches. */
async function readExpected({ status, role }: { status?: string; role?: string } = {}): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from memberships where tenant_id = ${tenantId}
    and (${status ?? null}::text is null or status = ${status ?? null})
    and (${role ?? null}::text is null or role = ${role ?? null})
    order by joined_at nulls last, id`.execute(service.ctx.db)
  return rows.map(({ id }) => id)
}

async function expectCorrectList(): Promise<void> {
  expect(await readAllPages()).toEqual(await readExpected())
  expect(await readAllPages('&status=ACTIVE')).toEqual(await readExpected({ status: 'ACTIVE' }))
  expect(await readAllPages('&role=member&status=SUSPENDED')).toEqual(
    await readExpected({ role: 'member', status: 'SUSPENDED' }),
  )
}

const expectTotal = async (query: string, filter: Parameters<typeof readExpected>[0]) =>
  expect((await list(query)).pagination.total).toBe((await readExpected(filter)).length)

test('every page of a long list is correct, in any order of requests', async () => {
  await expectCorrectList()
  await expectTotal('', {})
  await expectTotal('&status=ACTIVE', { status: 'ACTIVE' })
  await expectTotal('&role=admin', { role: 'admin' })
  await expectTotal('&role=admin&status=SUSPENDED', { role: 'admin', status: 'SUSPENDED' })
  expect((await list('&page=1000')).members).toEqual([])
})

test('the reverse order has the same members, also of a status and with a search', async () => {
  const reverse = '&sort=-joinedAt'
  expect(await readAllPages(reverse)).toEqual((await readExpected()).toReversed())
  const suspended = await readExpected({ status: 'SUSPENDED' })
  expect(await readAllPages(`${reverse}&status=SUSPENDED`)).toEqual(suspended.toReversed())
  const search = '&search=hand-45'
  expect(await readAllPages(search + reverse)).toEqual((await readAllPages(search)).toReversed())
})

test.runIf(FULL)('the list stays correct when members leave, change, join, are invited or are restored', async () => {
  const [, second = '', third = '', fourth = ''] = await readExpected()
  const at = (id: string) => `/api/tenants/${tenantId}/members/${id}`
  expect((await owner.call('DELETE', at(second))).status).toBe(200)
  await expectCorrectList()
  expect((await owner.call('PATCH', at(third), { role: 'owner' })).status).toBe(200)
  expect((await owner.call('PATCH', at(fourth), { status: 'SUSPENDED' })).status).toBe(200)
  await expectCorrectList()
  const { ctx } = service
  const join = async (joinedAt: Date) => {
    const { id } = await insertUser(service)
    const common = { role: 'member', status: 'ACTIVE', created_at: joinedAt, updated_at: joinedAt } as const
    const membership = { id: newId(), tenant_id: tenantId, user_id: id, joined_at: joinedAt, ...common }
    await ctx.db.insertInto('memberships').values(membership).execute()
  }
  await join(ctx.now())
  await expectCorrectList()
  // A member who sorts before all others, such as a restored account.
  await join(new Date(0))
  await expectCorrectList()
  for (const email of ['one@guests.test', 'two@guests.test', 'three@guests.test']) {
    const invited = await owner.call('POST', `/api/tenants/${tenantId}/invitations`, { email })
    expect(invited.status).toBe(201)
  }
  await expectCorrectList()
  expect((await list(`&page=${(await list()).pagination.pages}`)).members.at(-1)).toMatchObject({
    status: 'INVITED',
    joinedAt: null,
  })
})

test('a page in the middle of the list takes as many statements as the first', async () => {
  const watch = await watchStatements(service)
  try {
    await list('&page=20')
    const first = await watch.count(() => list())
    expect(await watch.count(() => list('&page=45'))).toBe(first)
    expect(await watch.count(() => list('&page=20'))).toBe(first)
  } finally {
    await watch.close()
  }
})
