import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { erasePeople } from '../../src/account/deletion/erasure.ts'
import { newId } from '../../src/lib/ids.ts'
import { sweepExpired } from '../../src/oauth/sweep.ts'
import { rounds } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startWorld } from '../support/world.ts'
import { addPerson, call, entriesOf, mailTo, newSomebody, tokenIn } from './people.ts'

const raw = CompiledQuery.raw
const DAY = 86_400_000
const FAREWELL = { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }
let service: TestService
let url: string
beforeAll(async () => {
  service = await startWorld()
  url = service.url
})
afterAll(() => service.close())

const erase = () => erasePeople.run(service.ctx, {})
const restore = (email: string) =>
  call(`${url}/api/auth/restore`, { method: 'POST', body: { email, password: PASSWORD } })

const findPerson = (id: string) =>
  service.ctx.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()

/** As if they had asked so many days ago. */
const askedBefore = (id: string, days: number) =>
  service.ctx.db
    .updateTable('users')
    .set({ deletion_requested_at: new Date(service.ctx.now().getTime() - days * DAY) })
    .where('id', '=', id)
    .execute()

test('erasure takes those who asked 30 days ago and nobody else, and may run again', async () => {
  const [due, early, staying] = [await addPerson(service), await addPerson(service), await addPerson(service)]
  await askedBefore(due.id, 30)
  await askedBefore(early.id, 29.9)
  await Promise.all([erase(), erase()])
  await erase()
  expect(await findPerson(due.id)).toBeUndefined()
  expect(await findPerson(early.id)).toBeDefined()
  expect(await findPerson(staying.id)).toBeDefined()
  const erased = { action: 'user.erased', actor_kind: 'system', actor_id: null, details: {}, personal: {} }
  expect(await entriesOf(service, due.id)).toEqual([erased])
})

test('more than fit into one batch are erased in one run', async () => {
  const people = await Promise.all(Array.from({ length: 120 }, () => addPerson(service)))
  for (const { id } of people) await askedBefore(id, 31)
  await erase()
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

test('a failure between two people leaves one gone entirely and the other not at all', async () => {
  const [first, second] = [await addPerson(service), await addPerson(service)]
  await askedBefore(first.id, 40)
  await askedBefore(second.id, 35)
  const { db } = service.ctx
  const lines = { caller: second.id, key: 'k', fingerprint: Buffer.from('f'), created_at: new Date() }
  await db
    .insertInto('idempotency_keys')
    .values({ ...lines, status: null, sealed_body: null })
    .execute()
  const held = await db.transaction().execute(async (tx) => {
    // Somebody else holds a row that the second erasure needs; its statement is cancelled meanwhile.
    await tx.selectFrom('idempotency_keys').selectAll().where('caller', '=', second.id).forUpdate().execute()
    const run = erase().catch((error: Error) => error)
    await expect.poll(() => findPerson(first.id)).toBeUndefined()
    await expect.poll(async () => (await waiting()).length).toBe(1)
    for (const { pid } of await waiting()) await cancel(pid)
    return run
  })
  expect(held).toBeInstanceOf(Error)
  expect(await findPerson(second.id)).toBeDefined()
  expect(await entriesOf(service, second.id)).toEqual([])
  await erase()
  expect(await findPerson(second.id)).toBeUndefined()
})

const waiting = async () => {
  const { rows } = await service.ctx.db.executeQuery<{ pid: number }>(
    raw(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and query like 'delete from "idempotency_keys"%'`,
    ),
  )
  return rows
}
const cancel = (pid: number) => service.ctx.db.executeQuery(raw(`select pg_cancel_backend(${pid})`))

test('who comes back at the last moment is either restored or gone', async () => {
  for (const _round of rounds(20)) {
    const { id, email } = await addPerson(service)
    await askedBefore(id, 30)
    const [answer] = await Promise.all([restore(email), erase()])
    const left = await findPerson(id)
    expect(answer.status).toBe(left ? 200 : 401)
    expect(left?.deletion_requested_at ?? null).toBeNull()
    const actions = (await entriesOf(service, id)).map(({ action }) => action)
    expect(actions.includes('user.erased')).toBe(left === undefined)
    expect(actions.includes('user.restored')).toBe(left !== undefined)
  }
})

test('mail to an address that somebody else has by now is let be', async () => {
  const leaving = await newSomebody(service)
  const other = await addPerson(service)
  await leaving.call('POST', '/api/users/me/email', { newEmail: other.email, password: PASSWORD })
  expect(await mailTo(service, other.email)).toHaveLength(1)
  expect((await leaving.call('DELETE', '/api/users/me', FAREWELL)).status).toBe(200)
  await askedBefore(leaving.id, 31)
  await erase()
  expect(await findPerson(leaving.id)).toBeUndefined()
  expect(await mailTo(service, other.email)).toHaveLength(1)
  expect(await mailTo(service, leaving.email)).toEqual([])
})

/** Every row of every table that holds the text anywhere, as text. */
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

/** Somebody with a name, an address and a device that occur nowhere else, who has left traces wherever one can. */
async function leaveTraces(world: TestService) {
  const person = await addPerson(world, {
    ...{ email: 'zebulon@before.test', display_name: 'Zebulon P.', given_name: 'Zebulon' },
    ...{ family_name: 'Pikestaffington', nickname: 'zebby', username: 'zebulonpike', phone: '+1555019991' },
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
  const token = tokenIn((await mailTo(world, 'zebulon@after.test'))[0])
  await send('POST', '/api/auth/email/verify', { token })
  await send('PATCH', '/api/users/me', { nickname: 'zebulon the second' }, own)
  await addRows(world, person.id)
  return { id: person.id, leave: () => send('DELETE', '/api/users/me', FAREWELL, own) }
}

/** What other ways of signing in, and a request with an Idempotency-Key, would leave. */
async function addRows({ ctx: { db, now } }: TestService, userId: string): Promise<void> {
  const at = now()
  const identity = { provider: 'GOOGLE', issuer: 'https://idp.test', subject: 'zebulon-subject' }
  const shown = { email: 'zebulon@idp.test', display_name: 'Zebulon', avatar_url: null }
  const used = { linked_at: at, last_used_at: at }
  await db
    .insertInto('sso_links')
    .values({ user_id: userId, ...identity, ...shown, ...used })
    .execute()
  const key = {
    id: newId(),
    user_id: userId,
    credential_id: 'c',
    public_key: Buffer.from('k'),
    sign_count: 0,
  }
  const named = {
    transports: [],
    backed_up: false,
    name: 'Key of Zebulon',
    created_at: at,
    last_used_at: null,
  }
  await db
    .insertInto('passkeys')
    .values({ ...key, ...named })
    .execute()
  const kept = {
    caller: userId,
    key: 'zebulon',
    fingerprint: Buffer.from('f'),
    status: null,
    sealed_body: null,
  }
  await db
    .insertInto('idempotency_keys')
    .values({ ...kept, created_at: at })
    .execute()
}

test('of somebody who was erased no address, name, place or device is left anywhere', async () => {
  const world = await startWorld({ worker: true, config: { trustedProxies: ['127.0.0.1'] } })
  try {
    const { ctx } = world
    const { id, leave } = await leaveTraces(world)
    const traces = ['zebulon', 'Pikestaffington', 'zebby', '+1555019991', '203.0.113.77']
    for (const trace of traces) expect(await rowsWith(world, trace), trace).not.toEqual([])
    await leave()
    const queued = async () => (await ctx.db.executeQuery(raw('select 1 from graphile_worker.jobs'))).rows
    await expect.poll(queued).toEqual([])

    world.advance(30 * DAY + 60_000)
    await erasePeople.run(ctx, {})
    // The counts of failures run out by themselves.
    await sweepExpired.run(ctx, {})
    for (const trace of traces) expect(await rowsWith(world, trace), trace).toEqual([])

    const again = { email: 'zebulon@after.test', password: 'correct horse battery staple' }
    expect((await call(`${world.url}/api/auth/register`, { method: 'POST', body: again })).status).toBe(201)
    const newcomer = await ctx.db
      .selectFrom('users')
      .select('id')
      .where('email', '=', again.email)
      .executeTakeFirstOrThrow()
    expect(newcomer.id).not.toBe(id)
  } finally {
    await world.close()
  }
})
