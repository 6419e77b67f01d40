import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eraseDueAccounts } from '../../src/account/deletion/erasure.ts'
import { newId } from '../../src/lib/ids.ts'
import { sweepExpired } from '../../src/oauth/sweep.ts'
import { rounds } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'
import { call, createSignedInUser, entriesOf, findLinkToken, insertUser, listMailTo } from './people.ts'

const raw = CompiledQuery.raw
const DAY = 86_400_000
const DELETION = { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }
let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService()
  url = service.url
})
afterAll(() => service.close())

const runErasure = () => eraseDueAccounts.run(service.ctx, {})
const restore = (email: string) =>
  call(`${url}/api/auth/restore`, { method: 'POST', body: { email, password: PASSWORD } })

const findPerson = (id: string) =>
  service.ctx.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()

/** Backdates the deletion request. */
const backdateRequest = (id: string, days: number) =>
  service.ctx.db
    .updateTable('users')
    .set({ deletion_requested_at: new Date(service.ctx.now().getTime() - days * DAY) })
    .where('id', '=', id)
    .execute()

test('erasure removes only accounts whose deletion was requested 30 days ago, and is idempotent', async () => {
  const [due, early, staying] = [await insertUser(service), await insertUser(service), await insertUser(service)]
  await backdateRequest(due.id, 30)
  await backdateRequest(early.id, 29.9)
  await Promise.all([runErasure(), runErasure()])
  await runErasure()
  expect(await findPerson(due.id)).toBeUndefined()
  expect(await findPerson(early.id)).toBeDefined()
  expect(await findPerson(staying.id)).toBeDefined()
  const erased = { action: 'user.erased', actor_kind: 'system', actor_id: null, details: {}, personal: {} }
  expect(await entriesOf(service, due.id)).toEqual([erased])
})

test('one run erases more accounts than one batch holds', async () => {
  const people = await Promise.all(Array.from({ length: 120 }, () => insertUser(service)))
  for (const { id } of people) await backdateRequest(id, 31)
  await runErasure()
  const left = await service.ctx.db
    .selectFrom('users')
    .select('id')
    .where(
      'id',
      'in',
      people.map(({ id }) => id),
    )
    .execute()
  expect(left).toEqual([])
})

test('a failure between two accounts leaves one erased completely and the other unchanged', async () => {
  const [first, second] = [await insertUser(service), await insertUser(service)]
  await backdateRequest(first.id, 40)
  await backdateRequest(second.id, 35)
  const { db } = service.ctx
  await db
    .insertInto('idempotency_keys')
    .values({
      caller: second.id,
      key: 'k',
      fingerprint: Buffer.from('f'),
      created_at: new Date(),
      status: null,
      sealed_body: null,
    })
    .execute()
  const failure = await db.transaction().execute(async (tx) => {
    // This transaction locks a row that the second erasure needs, and the listWaiting statement is canceled.
    await tx.selectFrom('idempotency_keys').selectAll().where('caller', '=', second.id).forUpdate().execute()
    const run = runErasure().catch((error: Error) => error)
    await expect.poll(() => findPerson(first.id)).toBeUndefined()
    await expect.poll(async () => (await listWaiting()).length).toBe(1)
    for (const { pid } of await listWaiting()) await cancel(pid)
    return run
  })
  expect(failure).toBeInstanceOf(Error)
  expect(await findPerson(second.id)).toBeDefined()
  expect(await entriesOf(service, second.id)).toEqual([])
  await runErasure()
  expect(await findPerson(second.id)).toBeUndefined()
})

const listWaiting = async () => {
  const { rows } = await service.ctx.db.executeQuery<{ pid: number }>(
    raw(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and query like 'delete from "idempotency_keys"%'`,
    ),
  )
  return rows
}
const cancel = (pid: number) => service.ctx.db.executeQuery(raw(`select pg_cancel_backend(${pid})`))

test('a concurrent restore and erasure leave the account either restored or erased', async () => {
  for (const _round of rounds(20)) {
    const { id, email } = await insertUser(service)
    await backdateRequest(id, 30)
    const [answer] = await Promise.all([restore(email), runErasure()])
    const left = await findPerson(id)
    expect(answer.status).toBe(left ? 200 : 401)
    expect(left?.deletion_requested_at ?? null).toBeNull()
    const actions = (await entriesOf(service, id)).map(({ action }) => action)
    expect(actions.includes('user.erased')).toBe(left === undefined)
    expect(actions.includes('user.restored')).toBe(left !== undefined)
  }
})

test('mail to an address that belongs to another account now is kept', async () => {
  const leaving = await createSignedInUser(service)
  const other = await insertUser(service)
  await leaving.call('POST', '/api/users/me/email', { newEmail: other.email, password: PASSWORD })
  expect(await listMailTo(service, other.email)).toHaveLength(1)
  expect((await leaving.call('DELETE', '/api/users/me', DELETION)).status).toBe(200)
  await backdateRequest(leaving.id, 31)
  await runErasure()
  expect(await findPerson(leaving.id)).toBeUndefined()
  expect(await listMailTo(service, other.email)).toHaveLength(1)
  expect(await listMailTo(service, leaving.email)).toEqual([])
})

/** All rows of all tables that contain the text, as text. */
async function rowsWith({ ctx: { db } }: TestService, text: string): Promise<string[]> {
  const tables = await db.executeQuery<{ name: string }>(
    raw(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    ),
  )
  expect(tables.rows.length).toBeGreaterThan(20)
  const found: string[] = []
  for (const { name } of tables.rows) {
    const pattern = text.replaceAll("'", "''")
    const hits = await db.executeQuery<{ row: string }>(
      raw(`select t::text as row from ${name} t where position(lower('${pattern}') in lower(t::text)) > 0`),
    )
    found.push(...hits.rows.map(({ row }) => `${name}: ${row}`))
  }
  return found
}

/** A user with a unique name, address and device, whose requests leave data in as many tables as possible. */
async function leaveTraces(world: TestService) {
  const person = await insertUser(world, {
    email: 'zebulon@before.test',
    display_name: 'Zebulon P.',
    given_name: 'Zebulon',
    family_name: 'Pikestaffington',
    nickname: 'zebby',
    username: 'zebulonpike',
    phone: '+1555019991',
  })
  const device = { 'X-Forwarded-For': '203.0.113.77', 'User-Agent': 'Zebulon-Browser/7' }
  const send = async (method: string, path: string, body: unknown, headers = {}) => {
    const answer = await call(world.url + path, { method, body, headers: { ...device, ...headers } })
    expect([200, 201, 401], JSON.stringify(answer.body)).toContain(answer.status)
    return answer
  }
  const { email } = person
  await send('POST', '/api/auth/login', { email, password: 'wrong' })
  await send('POST', '/api/auth/register', { email, password: 'correct horse battery staple' })
  await send('POST', '/api/auth/password/forgot', { email })
  const login = await send('POST', '/api/auth/login', { email, password: PASSWORD })
  const cookie = login.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const own = { cookie, 'Sec-Fetch-Site': 'same-origin' }
  for (const newEmail of ['zebulon@wanted.test', 'zebulon@after.test']) {
    await send('POST', '/api/users/me/email', { newEmail, password: PASSWORD }, own)
  }
  const token = findLinkToken((await listMailTo(world, 'zebulon@after.test'))[0])
  await send('POST', '/api/auth/email/verify', { token })
  await send('PATCH', '/api/users/me', { nickname: 'zebulon the second' }, own)
  await addRows(world, person.id)
  return { id: person.id, requestDeletion: () => send('DELETE', '/api/users/me', DELETION, own) }
}

/** The rows of other login methods and of an idempotent request. */
async function addRows({ ctx: { db, now } }: TestService, userId: string): Promise<void> {
  const at = now()
  await db
    .insertInto('sso_links')
    .values({
      user_id: userId,
      provider: 'GOOGLE',
      issuer: 'https://idp.test',
      subject: 'zebulon-subject',
      email: 'zebulon@idp.test',
      display_name: 'Zebulon',
      avatar_url: null,
      linked_at: at,
      last_used_at: at,
    })
    .execute()
  await db
    .insertInto('passkeys')
    .values({
      id: newId(),
      user_id: userId,
      credential_id: 'c',
      public_key: Buffer.from('k'),
      sign_count: 0,
      transports: [],
      backed_up: false,
      name: 'Key of Zebulon',
      created_at: at,
      last_used_at: null,
    })
    .execute()
  await db
    .insertInto('idempotency_keys')
    .values({
      caller: userId,
      key: 'zebulon',
      fingerprint: Buffer.from('f'),
      status: null,
      sealed_body: null,
      created_at: at,
    })
    .execute()
}

test('no address, name, location or device of an erased person is left in any table', async () => {
  const world = await startDemoService({ worker: true, config: { trustedProxies: ['127.0.0.1'] } })
  try {
    const { ctx } = world
    const { id, requestDeletion } = await leaveTraces(world)
    const traces = ['zebulon', 'Pikestaffington', 'zebby', '+1555019991', '203.0.113.77']
    for (const trace of traces) expect(await rowsWith(world, trace), trace).not.toEqual([])
    await requestDeletion()
    const queued = async () => (await ctx.db.executeQuery(raw('select 1 from graphile_worker.jobs'))).rows
    await expect.poll(queued).toEqual([])

    world.advance(30 * DAY + 60_000)
    await eraseDueAccounts.run(ctx, {})
    // The counters of failed sign-ins expire.
    await sweepExpired.run(ctx, {})
    for (const trace of traces) expect(await rowsWith(world, trace), trace).toEqual([])

    const again = { email: 'zebulon@after.test', password: 'correct horse battery staple' }
    expect((await call(`${world.url}/api/auth/register`, { method: 'POST', body: again })).status).toBe(201)
    const newUser = await ctx.db
      .selectFrom('users')
      .select('id')
      .where('email', '=', again.email)
      .executeTakeFirstOrThrow()
    expect(newUser.id).not.toBe(id)
  } finally {
    await world.close()
  }
})
