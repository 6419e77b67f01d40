import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { type ApiResponse, call, createSignedInUser, insertUser, type TestUser } from '../account/people.ts'
import { type Host, unusedAddress } from '../invitations/hosts.ts'
import { callTenantRoute, createHost, listAuditEntries } from '../invitations/invitation-api.ts'
import { createDatabase } from '../support/database.ts'
import { collide, countDeadlocks, type LockStatement, whileLocked } from '../support/locks.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { obtainTokens, PASSWORD, startDemoService, userinfo } from '../support/world.ts'
import { insertMembership, insertTenant } from './tenant-rows.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

const leave = (somebody: TestUser) =>
  somebody.call('DELETE', '/api/users/me', { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' })
const restore = ({ email }: TestUser) =>
  call(`${service.url}/api/auth/restore`, { method: 'POST', body: { email, password: PASSWORD } })
const deleteTenant = ({ user, tenant }: Host) => user.call('DELETE', `/api/tenants/${tenant.id}`)

describe('two changes at the same time', () => {
  /** A tenant with two members. The first one comes before the second in every list. */
  async function createTenantWithMembers() {
    const host = await createHost(service)
    const [colleague, member] = [await createSignedInUser(service), await createSignedInUser(service)]
    const colleagueId = await insertMembership(service, host.tenant, colleague)
    const membershipId = await insertMembership(service, host.tenant, member)
    const colleagueLock: LockStatement = {
      statement: 'select from memberships where id = $1 for update',
      values: [colleagueId],
    }
    return { host, member, membershipId, colleagueLock }
  }

  /** Whether the user has requested deletion, and the number of memberships and of those that a restore brings back. */
  async function getState({ id }: TestUser) {
    const { rows } = await sql<{ isLeaving: boolean; memberships: number; dormant: number }>`
      select deletion_requested_at is not null as "isLeaving",
        (select count(*)::int from memberships where user_id = users.id) as memberships,
        (select count(*)::int from dormant_memberships where user_id = users.id) as dormant
      from users where id = ${id}
    `.execute(service.ctx.db)
    return rows[0]
  }
  const exists = async ({ tenant }: Host) =>
    (await service.ctx.db.selectFrom('tenants').select('id').where('id', '=', tenant.id).execute()).length > 0

  /** Both succeed without a deadlock. */
  async function expectBothSucceed(
    hold: LockStatement,
    both: [() => Promise<ApiResponse>, () => Promise<ApiResponse>],
  ) {
    const before = await countDeadlocks(service)
    const answers = await collide(service, hold, both)
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await countDeadlocks(service)).toBe(before)
  }

  test('a member is removed and requests deletion: a restored account is not a member', async () => {
    const { host, member, membershipId } = await createTenantWithMembers()
    const { access_token } = await obtainTokens(service.url, member.cookie, { tenant: host.tenant.slug })
    const hold = {
      statement: `select from member_counts where tenant_id = $1 and role = 'member' for update`,
      values: [host.tenant.id],
    }
    const path = `/api/tenants/${host.tenant.id}/members/${membershipId}`
    await expectBothSucceed(hold, [() => host.user.call('DELETE', path), () => leave(member)])
    expect(await getState(member)).toEqual({ isLeaving: true, memberships: 0, dormant: 0 })
    expect(await userinfo(service.url, access_token)).toBe(401)
    expect(await listAuditEntries(service, host, 'member.removed')).toMatchObject([{ user_id: member.id }])
    expect((await restore(member)).status).toBe(200)
    expect(await getState(member)).toEqual({ isLeaving: false, memberships: 0, dormant: 0 })
  })

  test.runIf(FULL)('a tenant is deleted and a member requests deletion: no dormant membership is left', async () => {
    const { host, member, colleagueLock } = await createTenantWithMembers()
    await expectBothSucceed(colleagueLock, [() => deleteTenant(host), () => leave(member)])
    expect(await exists(host)).toBe(false)
    expect(await getState(member)).toEqual({ isLeaving: true, memberships: 0, dormant: 0 })
  })

  test('a tenant is deleted and a former member restores the account: the membership is not restored', async () => {
    const { host, member, colleagueLock } = await createTenantWithMembers()
    expect((await leave(member)).status).toBe(200)
    expect(await getState(member)).toEqual({ isLeaving: true, memberships: 0, dormant: 1 })
    await expectBothSucceed(colleagueLock, [() => deleteTenant(host), () => restore(member)])
    expect(await exists(host)).toBe(false)
    expect(await getState(member)).toEqual({ isLeaving: false, memberships: 0, dormant: 0 })
  })
})

/** Repeats a request for as long as the queue of the tenant refuses it. */
async function retryUnavailable<T extends { status: number }>(ask: () => Promise<T>): Promise<T> {
  const response = await ask()
  if (response.status !== 503) return response
  await sleep(500)
  return retryUnavailable(ask)
}

test('many writes to one tenant do not delay requests for other tenants', async () => {
  const { user: owner, tenant } = await createHost(service)
  const other = await createSignedInUser(service)
  const path = `/api/tenants/${tenant.id}`
  const bulk = () => {
    const invitations = Array.from({ length: 5 }, () => ({ email: unusedAddress() }))
    return retryUnavailable(() => owner.call('POST', `${path}/invitations/bulk`, { invitations }))
  }
  const rename = (_: unknown, index: number) =>
    retryUnavailable(() => owner.call('PATCH', path, { name: `Busy ${index}` }))
  const listOtherTenants = () =>
    Promise.race([other.call('GET', '/api/tenants'), sleep(60_000, { status: 'timed out', body: {} })])
  const expected = { status: 200, body: { tenants: [] } }
  // More writes than the service has connections, all for one locked tenant.
  const hold = { statement: 'select from tenants where id = $1 for update', values: [tenant.id] }
  const { writes, listed } = await whileLocked(service, hold, async (waitFor) => {
    const sent = [...Array.from({ length: 6 }, bulk), ...Array.from({ length: 10 }, rename)]
    await waitFor(1)
    // Gives the other writes time to arrive.
    await sleep(300)
    return { writes: Promise.all(sent), listed: await listOtherTenants() }
  })
  expect(listed).toMatchObject(expected)
  let isOver = false
  const answers = writes.finally(() => {
    isOver = true
  })
  while (!isOver) {
    expect(await listOtherTenants()).toMatchObject(expected)
    await sleep(50)
  }
  expect((await answers).map(({ status }) => status)).toEqual(Array(16).fill(200))
})

test.runIf(FULL)('a database from before migration 4 is migrated, also with INVITED members', async () => {
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
    const query = async (text: string) => (await client.query({ text, rowMode: 'array' })).rows
    const members = `select email, role, status, joined_at = memberships.created_at
      from memberships join users on users.id = user_id order by email`
    const [owner, member, restored] = [
      ['ann@people.test', 'owner', 'ACTIVE', true],
      ['ben@people.test', 'member', 'SUSPENDED', true],
      ['cid@people.test', 'member', 'ACTIVE', true],
    ]
    expect(await query(members)).toEqual([owner, member])
    // A restored account gets its membership back, but not an invitation.
    await client.query('update users set deletion_requested_at = null')
    expect(await query(members)).toEqual([owner, member, restored])
    expect(await query('select role, status, count::int from member_counts order by role, status')).toEqual([
      ['member', 'ACTIVE', 1],
      ['member', 'SUSPENDED', 1],
      ['owner', 'ACTIVE', 1],
    ])
  } finally {
    await client.end()
    await database.close()
  }
})

/** Members in every state, also without a joining date. cid and dan have requested deletion; dan and eve are INVITED. */
const BEFORE_INVITATIONS = `
  insert into tenants (id, slug, name, created_at, updated_at)
    values (gen_random_uuid(), 'old', 'Old', now(), now());
  insert into users (id, email, email_verified, created_at, updated_at)
    select gen_random_uuid(), name || '@people.test', true, now(), now()
    from unnest(array['ann', 'ben', 'cid', 'dan', 'eve']) as name;
  insert into memberships (id, tenant_id, user_id, role, status, joined_at, created_at, updated_at)
    select gen_random_uuid(), tenants.id, users.id, member.role, member.status, member.joined, now(), now()
    from tenants, users, (values
      ('ann', 'owner', 'ACTIVE', now()),
      ('ben', 'member', 'SUSPENDED', null),
      ('cid', 'member', 'ACTIVE', now()),
      ('dan', 'admin', 'INVITED', null),
      ('eve', 'member', 'INVITED', null)
    ) as member (name, role, status, joined)
    where users.email = member.name || '@people.test';
  update users set deletion_requested_at = now() where email in ('cid@people.test', 'dan@people.test');
`

test('the database refuses an active member without a joining date and an invited member with one', async () => {
  const company = await insertTenant(service)
  const person = await insertUser(service)
  const id = await insertMembership(service, company, person)
  const change = (values: { joined_at?: Date | null; status?: 'INVITED'; invited_until?: Date }) =>
    service.ctx.db.updateTable('memberships').set(values).where('id', '=', id).execute()
  const refusal = { code: '23514', constraint: 'joined_or_invited' }
  await expect(change({ joined_at: null })).rejects.toMatchObject(refusal)
  await expect(change({ status: 'INVITED', invited_until: new Date() })).rejects.toMatchObject(refusal)
})

test('a page after the end of the audit log is empty and has the correct total', async () => {
  const host = await createHost(service)
  await host.invite()
  const read = async (page: number) =>
    (await callTenantRoute(service, host, { path: `/audit?limit=2&page=${page}` })).body
  const { pagination, entries } = await read(1)
  const { total, pages } = pagination as { total: number; pages: number }
  expect(entries).toHaveLength(2)
  for (const page of [pages + 1, 1_000_000]) {
    const empty = { page, limit: 2, total, pages, totalIsExact: true, next: null }
    expect(await read(page)).toEqual({ entries: [], pagination: empty })
  }
})
