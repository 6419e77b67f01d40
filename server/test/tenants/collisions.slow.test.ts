import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { type Answer, addPerson, call, newSomebody, type Somebody } from '../account/people.ts'
import { callNow, entriesIn, openHouse } from '../invitations/desk.ts'
import { type Host, unusedAddress } from '../invitations/guests.ts'
import { createDatabase } from '../support/database.ts'
import { collide, deadlocksIn, type Hold, whileHeld } from '../support/locks.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { obtainTokens, PASSWORD, startWorld, userinfo } from '../support/world.ts'
import { employ, newCompany } from './company.ts'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

const leave = (somebody: Somebody) =>
  somebody.call('DELETE', '/api/users/me', { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' })
const restore = ({ email }: Somebody) =>
  call(`${service.url}/api/auth/restore`, { method: 'POST', body: { email, password: PASSWORD } })
const deleteTenant = ({ somebody, tenant }: Host) => somebody.call('DELETE', `/api/tenants/${tenant.id}`)

describe('at one and the same moment', () => {
  /** A tenant with two members, of whom the first stands before the second in every list. */
  async function staffed() {
    const host = await openHouse(service)
    const [colleague, somebody] = [await newSomebody(service), await newSomebody(service)]
    const colleagueId = await employ(service, host.tenant, colleague)
    const membershipId = await employ(service, host.tenant, somebody)
    const atColleague: Hold = {
      statement: 'select from memberships where id = $1 for update',
      values: [colleagueId],
    }
    return { host, somebody, membershipId, atColleague }
  }

  /** Where somebody is a member, where they would be one again, and whether they are leaving. */
  async function standingOf({ id }: Somebody) {
    const { rows } = await sql<{ leaving: boolean; member: number; resting: number }>`
      select deletion_requested_at is not null as leaving,
        (select count(*)::int from memberships where user_id = users.id) as member,
        (select count(*)::int from dormant_memberships where user_id = users.id) as resting
      from users where id = ${id}
    `.execute(service.ctx.db)
    return rows[0]
  }
  const isThere = async ({ tenant }: Host) =>
    (await service.ctx.db.selectFrom('tenants').select('id').where('id', '=', tenant.id).execute()).length > 0

  /** Both succeed, and neither had to begin anew because they waited for each other. */
  async function expectBoth(hold: Hold, both: [() => Promise<Answer>, () => Promise<Answer>]) {
    const before = await deadlocksIn(service)
    const answers = await collide(service, hold, both)
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await deadlocksIn(service)).toBe(before)
  }

  test('somebody is removed as a member and asks to be deleted: they are no member when they come back', async () => {
    const { host, somebody, membershipId } = await staffed()
    const { access_token } = await obtainTokens(service.url, somebody.cookie, { tenant: host.tenant.slug })
    const hold = {
      statement: `select from member_counts where tenant_id = $1 and role = 'member' for update`,
      values: [host.tenant.id],
    }
    const path = `/api/tenants/${host.tenant.id}/members/${membershipId}`
    await expectBoth(hold, [() => host.somebody.call('DELETE', path), () => leave(somebody)])
    expect(await standingOf(somebody)).toEqual({ leaving: true, member: 0, resting: 0 })
    expect(await userinfo(service.url, access_token)).toBe(401)
    expect(await entriesIn(service, host, 'member.removed')).toMatchObject([{ user_id: somebody.id }])
    expect((await restore(somebody)).status).toBe(200)
    expect(await standingOf(somebody)).toEqual({ leaving: false, member: 0, resting: 0 })
  })

  test.runIf(FULL)(
    'a tenant is deleted and a member asks to be deleted: both are done, and nothing of the tenant rests',
    async () => {
      const { host, somebody, atColleague } = await staffed()
      await expectBoth(atColleague, [() => deleteTenant(host), () => leave(somebody)])
      expect(await isThere(host)).toBe(false)
      expect(await standingOf(somebody)).toEqual({ leaving: true, member: 0, resting: 0 })
    },
  )

  test('a tenant is deleted and somebody who was leaving comes back: they do so without it', async () => {
    const { host, somebody, atColleague } = await staffed()
    expect((await leave(somebody)).status).toBe(200)
    expect(await standingOf(somebody)).toEqual({ leaving: true, member: 0, resting: 1 })
    await expectBoth(atColleague, [() => deleteTenant(host), () => restore(somebody)])
    expect(await isThere(host)).toBe(false)
    expect(await standingOf(somebody)).toEqual({ leaving: false, member: 0, resting: 0 })
  })
})

/** Who is told to come again, because the tenant was not to be had for long, does. */
async function insist<T extends { status: number }>(ask: () => Promise<T>): Promise<T> {
  const answer = await ask()
  return answer.status === 503 ? insist(ask) : answer
}

test('whoever is busy with one tenant, however busy, holds up nobody elsewhere', async () => {
  const { somebody: owner, tenant } = await openHouse(service)
  const other = await newSomebody(service)
  const path = `/api/tenants/${tenant.id}`
  const bulk = () => {
    const invitations = Array.from({ length: FULL ? 60 : 15 }, () => ({ email: unusedAddress() }))
    return insist(() => owner.call('POST', `${path}/invitations/bulk`, { invitations }))
  }
  const rename = (_: unknown, index: number) =>
    insist(() => owner.call('PATCH', path, { name: `Busy ${index}` }))
  const look = () =>
    Promise.race([other.call('GET', '/api/tenants'), sleep(20_000, { status: 'held up', body: {} })])
  const free = { status: 200, body: { tenants: [] } }
  // More at once than the service has connections, all for one tenant that is not to be had.
  const hold = { statement: 'select from tenants where id = $1 for update', values: [tenant.id] }
  const { storm, seen } = await whileHeld(service, hold, async (waitFor) => {
    const sent = [...Array.from({ length: 6 }, bulk), ...Array.from({ length: 10 }, rename)]
    await waitFor(1)
    // Time for the rest to arrive.
    await sleep(300)
    return { storm: Promise.all(sent), seen: await look() }
  })
  expect(seen).toMatchObject(free)
  let isOver = false
  const answers = storm.finally(() => {
    isOver = true
  })
  while (!isOver) {
    expect(await look()).toMatchObject(free)
    await sleep(50)
  }
  expect((await answers).map(({ status }) => status)).toEqual(Array(16).fill(200))
})

test.runIf(FULL)(
  'a database from before there were invitations is taken over, also with INVITED members',
  async () => {
    const database = await createDatabase('template0')
    const client = new pg.Client(database.direct)
    try {
      await migrate(
        database.direct,
        readMigrations().filter(({ version }) => version < 4),
      )
      await client.connect()
      await client.query(BEFORE_INVITATIONS)
      expect((await migrate(database.direct))[0]).toMatchObject({ version: 4 })
      const tell = async (text: string) => (await client.query({ text, rowMode: 'array' })).rows
      const members = `select email, role, status, joined_at = memberships.created_at
      from memberships join users on users.id = user_id order by email`
      const [owner, member, resting] = [
        ['ann@people.test', 'owner', 'ACTIVE', true],
        ['ben@people.test', 'member', 'SUSPENDED', true],
        ['cid@people.test', 'member', 'ACTIVE', true],
      ]
      expect(await tell(members)).toEqual([owner, member])
      // Who was leaving as a member comes back as one; who had only been invited does not.
      await client.query('update users set deletion_requested_at = null')
      expect(await tell(members)).toEqual([owner, member, resting])
      expect(await tell('select role, status, count::int from member_counts order by role, status')).toEqual([
        ['member', 'ACTIVE', 1],
        ['member', 'SUSPENDED', 1],
        ['owner', 'ACTIVE', 1],
      ])
    } finally {
      await client.end()
      await database.close()
    }
  },
)

/** Members of every kind, also without a day of joining; cid and dan are leaving, dan and eve were only invited. */
const BEFORE_INVITATIONS = `
  insert into tenants (id, slug, name, created_at, updated_at)
    values (gen_random_uuid(), 'old', 'Old', now(), now());
  insert into users (id, email, email_verified, created_at, updated_at)
    select gen_random_uuid(), name || '@people.test', true, now(), now()
    from unnest(array['ann', 'ben', 'cid', 'dan', 'eve']) as name;
  insert into memberships (id, tenant_id, user_id, role, status, joined_at, created_at, updated_at)
    select gen_random_uuid(), tenants.id, users.id, place.role, place.status, place.joined, now(), now()
    from tenants, users, (values
      ('ann', 'owner', 'ACTIVE', now()),
      ('ben', 'member', 'SUSPENDED', null),
      ('cid', 'member', 'ACTIVE', now()),
      ('dan', 'admin', 'INVITED', null),
      ('eve', 'member', 'INVITED', null)
    ) as place (name, role, status, joined)
    where users.email = place.name || '@people.test';
  update users set deletion_requested_at = now() where email in ('cid@people.test', 'dan@people.test');
`

test('the database itself refuses members who have not joined, and invited ones who have', async () => {
  const company = await newCompany(service)
  const person = await addPerson(service)
  const id = await employ(service, company, person)
  const change = (values: { joined_at?: Date | null; status?: 'INVITED'; invited_until?: Date }) =>
    service.ctx.db.updateTable('memberships').set(values).where('id', '=', id).execute()
  const refusal = { code: '23514', constraint: 'joined_or_invited' }
  await expect(change({ joined_at: null })).rejects.toMatchObject(refusal)
  await expect(change({ status: 'INVITED', invited_until: new Date() })).rejects.toMatchObject(refusal)
})

test('the log of a tenant is empty beyond its end, and still tells how long it is', async () => {
  const host = await openHouse(service)
  await host.invite()
  const read = async (page: number) =>
    (await callNow(service, host, { path: `/audit?limit=2&page=${page}` })).body
  const { pagination, entries } = await read(1)
  const { total, pages } = pagination as { total: number; pages: number }
  expect(entries).toHaveLength(2)
  for (const page of [pages + 1, 1_000_000]) {
    const empty = { page, limit: 2, total, pages, totalIsExact: true, next: null }
    expect(await read(page)).toEqual({ entries: [], pagination: empty })
  }
})
