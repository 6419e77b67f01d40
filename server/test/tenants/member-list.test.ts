import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { addPerson, newSomebody, type Somebody } from '../account/people.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { startWorld } from '../support/world.ts'

const MEMBERS = 4_600
const PER_PAGE = 100

let service: TestService
let owner: Somebody
let tenantId: string

beforeAll(async () => {
  service = await startWorld()
  owner = await newSomebody(service)
  tenantId = String((await owner.call('POST', '/api/tenants', { name: 'Many hands' })).body.id)
  await sql`
    insert into users (id, email, email_verified, is_super_admin, created_at, updated_at)
    select gen_random_uuid(), 'hand-' || n || '@people.test', true, false, now(), now()
    from generate_series(1, ${MEMBERS}::int) as n`.execute(service.ctx.db)
  // Many have joined at the same moment, and moments are finer than a clock in JavaScript tells.
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
  (await owner.call('GET', `/api/tenants/${tenantId}/members?limit=${PER_PAGE}${query}`))
    .body as unknown as Page

/** Everybody in the list, page by page, in an order that jumps about. */
async function walk(query = ''): Promise<string[]> {
  const { pages } = (await list(query)).pagination
  const numbers = Array.from({ length: pages }, (_, index) => index + 1)
  const jumping = numbers.toSorted((a, b) => ((a * 17) % pages) - ((b * 17) % pages))
  const found = new Map<number, string[]>()
  for (const page of jumping) {
    const { members } = await list(`${query}&page=${page}`)
    found.set(
      page,
      members.map(({ id }) => id),
    )
  }
  return numbers.flatMap((page) => found.get(page) ?? [])
}

/** The same by plain reading and sorting, without any index, count or memory. */
async function truth({ status, role }: { status?: string; role?: string } = {}): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from memberships where tenant_id = ${tenantId}
    and (${status ?? null}::text is null or status = ${status ?? null})
    and (${role ?? null}::text is null or role = ${role ?? null})
    order by joined_at nulls last, id`.execute(service.ctx.db)
  return rows.map(({ id }) => id)
}

async function expectTrue(): Promise<void> {
  expect(await walk()).toEqual(await truth())
  expect(await walk('&status=ACTIVE')).toEqual(await truth({ status: 'ACTIVE' }))
  expect(await walk('&role=member&status=SUSPENDED')).toEqual(
    await truth({ role: 'member', status: 'SUSPENDED' }),
  )
}

const expectTotal = async (query: string, filter: Parameters<typeof truth>[0]) =>
  expect((await list(query)).pagination.total).toBe((await truth(filter)).length)

test('every page of a long list holds whom it must, in whatever order pages are asked for', async () => {
  await expectTrue()
  await expectTotal('', {})
  await expectTotal('&status=ACTIVE', { status: 'ACTIVE' })
  await expectTotal('&role=admin', { role: 'admin' })
  await expectTotal('&role=admin&status=SUSPENDED', { role: 'admin', status: 'SUSPENDED' })
  expect((await list('&page=1000')).members).toEqual([])
})

test.runIf(FULL)(
  'the list stays true when somebody leaves, changes role or status, joins, is invited, or returns',
  async () => {
    const [, second = '', third = '', fourth = ''] = await truth()
    const at = (id: string) => `/api/tenants/${tenantId}/members/${id}`
    expect((await owner.call('DELETE', at(second))).status).toBe(200)
    await expectTrue()
    expect((await owner.call('PATCH', at(third), { role: 'owner' })).status).toBe(200)
    expect((await owner.call('PATCH', at(fourth), { status: 'SUSPENDED' })).status).toBe(200)
    await expectTrue()
    const { ctx } = service
    const join = async (joinedAt: Date) => {
      const { id } = await addPerson(service)
      const common = { role: 'member', status: 'ACTIVE', created_at: joinedAt, updated_at: joinedAt } as const
      const membership = { id: newId(), tenant_id: tenantId, user_id: id, joined_at: joinedAt, ...common }
      await ctx.db.insertInto('memberships').values(membership).execute()
    }
    await join(ctx.now())
    await expectTrue()
    // Somebody from before everybody else, such as who takes back the deletion of their account.
    await join(new Date(0))
    await expectTrue()
    for (const email of ['one@guests.test', 'two@guests.test', 'three@guests.test']) {
      const invited = await owner.call('POST', `/api/tenants/${tenantId}/invitations`, { email })
      expect(invited.status).toBe(201)
    }
    await expectTrue()
    expect((await list(`&page=${(await list()).pagination.pages}`)).members.at(-1)).toMatchObject({
      status: 'INVITED',
      joinedAt: null,
    })
  },
)

test('a page in the middle takes no more statements than the first, however long the list is', async () => {
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
