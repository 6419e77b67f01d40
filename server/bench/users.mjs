#!/usr/bin/env node
// How much slower the lists of people are with a million of them than with a thousand. Two services run side by side, on
// two databases of one server, and are asked in turn, so that whatever else the machine does slows both alike.
//
//   node server/bench/users.mjs [folder]
//
// In a folder that is named, the databases are kept for the next time.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { buildIfStale } from '../bin/build.mjs'

await buildIfStale()
const load = (name) => import(`../dist/${name}.js`)
const { buildApp, sections } = await load('app')
const { loadConfig } = await load('config')
const { openChangeFeed } = await load('db/changes')
const { startBundled } = await load('db/bundled/server')
const { migrate } = await load('db/migrate')
const { openDb } = await load('db/open')
const { applyChanges, planChanges, readDeclaration } = await load('declaration/apply')
const { ensureFirstKey } = await load('oauth/signing-keys/service')
const { createLogger } = await load('lib/logger')
const { createSealer } = await load('lib/seal')
const { createContext } = await load('main')

const SIZES = [1_000, 1_000_000]
const ROUNDS = 60
const DEMO = fileURLToPath(new URL('../../demo/latchkey.yaml', import.meta.url))

const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
const server = await startBundled(folder, {
  use: 'own',
  settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', shared_buffers: '2GB' },
})

const asOwner = async (database, work) => {
  const client = new pg.Client({ host: server.socketDir, user: 'postgres', database })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** People with some twenty given and eighty family names, at three large firms and many small ones. */
const PEOPLE = `
  insert into users (id, email, email_verified, given_name, family_name, password_hash, is_super_admin, disabled,
    created_at, updated_at)
  select gen_random_uuid(), lower(given) || '.' || lower(family) || i || '@' || domain, i % 50 <> 0, given, family, 'x',
    false, i % 997 = 0, at, at
  from (
    select i, timestamptz '2020-01-01' + i * interval '3 minutes' as at,
      (array['Anna','Ben','Clara','David','Emma','Felix','Greta','Hugo','Ida','Jonas','Karla','Lukas','Mia','Noah',
        'Olga','Paul','Rosa','Simon','Tina','Viktor'])[1 + abs(hashint8(i)) % 20] as given,
      (array['Ab','Be','Chr','Do','Ei','Fr','Ga','Ha','In','Ju'])[1 + abs(hashint8(i + 7)) % 10]
        || (array['mann','berg','stein','feld','bach','thal','dorf','meier'])[1 + abs(hashint8(i + 77)) % 8] as family,
      case abs(hashint8(i + 777)) % 10 when 0 then 'mail.test' when 1 then 'company.test' when 2 then 'works.test'
        else 'firm' || i % 5000 || '.test' end as domain
    from generate_series(1, $1::bigint) as i
  ) as people`

const MEMBERS = `
  insert into memberships (id, tenant_id, user_id, role, status, joined_at, created_at, updated_at)
  select gen_random_uuid(), (select id from tenants where slug = 'globex'), id, 'member', 'ACTIVE', created_at, created_at,
    created_at
  from users where password_hash = 'x'`

/** Fills a database past its triggers, which would tell a million times of somebody new, and does their work at once. */
async function fill(client, size) {
  await client.query('set session_replication_role = replica')
  // What is not on the disk yet is not known to be there for all, and an index alone cannot answer for it.
  await client.query('set synchronous_commit = on')
  await client.query(PEOPLE, [size])
  await client.query(
    "insert into user_terms select terms.* from users, terms_of(users) as terms where password_hash = 'x'",
  )
  await client.query('insert into user_counts (change) values ($1)', [size])
  await client.query(MEMBERS)
  await client.query(
    `insert into member_counts (tenant_id, status, role, count) select id, 'ACTIVE', 'member', $1 from tenants
     where slug = 'globex' on conflict (tenant_id, status, role) do update set count = member_counts.count + $1`,
    [size],
  )
  for (const table of ['users', 'user_terms', 'memberships']) await client.query(`vacuum analyze ${table}`)
}

async function prepare(size) {
  const database = `bench_${size}`
  const settings = { host: server.socketDir, user: 'latchkey', database }
  const isThere = await asOwner('postgres', async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database])
    if (rowCount === 0) await client.query(`create database ${database} owner latchkey`)
    return rowCount > 0
  })
  await migrate(settings)
  const service = await start({ pooled: settings, direct: settings, lost: new Promise(() => {}) })
  if (!isThere) {
    await applyChanges(service.ctx, await planChanges(service.ctx, sections, readDeclaration(DEMO, sections)))
    process.stderr.write(`filling ${database} …\n`)
    await asOwner(database, (client) => fill(client, size))
  }
  return service
}

/** The same each time, for databases that are kept. */
const sealKey = Buffer.alloc(32, 1)

async function start(connection) {
  const db = openDb(connection, 10)
  const ctx = createContext(loadConfig('demo', {}), {
    ...{ db, changes: await openChangeFeed(connection.direct), now: () => new Date(), strict: false },
    ...{ keys: createSealer([sealKey]), log: createLogger('error', process.stderr) },
  })
  await ensureFirstKey(ctx)
  const app = buildApp(ctx)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { ctx, app, url }
}

async function call({ url }, path, options = {}) {
  const response = await fetch(url + path, options)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`)
  return { body: JSON.parse(text), headers: response.headers }
}

const asMachine = async (service) => {
  const form = { grant_type: 'client_credentials', client_id: 'demo-ops', client_secret: 'demo-ops-secret' }
  const { body } = await call(service, '/api/oauth/token', {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  return { authorization: `Bearer ${body.access_token}` }
}

/** The cookie of somebody who is a member of the tenant. */
const asMember = async (service) => {
  const { headers } = await call(service, '/api/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'gus@globex.test', password: 'latchkey-demo-2026' }),
  })
  const tenants = service.ctx.db.selectFrom('tenants').select('id').where('slug', '=', 'globex')
  const { id } = await tenants.executeTakeFirstOrThrow()
  return {
    cookie: headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; '),
    tenantId: id,
  }
}

async function newAsker(size) {
  const service = await prepare(size)
  const machine = await asMachine(service)
  const { cookie, tenantId } = await asMember(service)
  const get = async (path, headers) => (await call(service, path, { headers })).body
  const users = (query) => get(`/api/admin/users?${query}`, machine)
  const members = (query) => get(`/api/tenants/${tenantId}/members?${query}`, { cookie })
  return { service, users, members, size, tenantId }
}

/** A page in the midst of the list, and the cursor that leads to it. */
async function midway({ users, size }, query) {
  const { pagination } = await users(`${query}&page=${Math.floor(size / 2 / 20)}`)
  return `${query}&after=${pagination.next}`
}

const someone = async ({ users, size }) => (await users(`sort=email&page=${Math.floor(size / 40)}`)).users[0]

const CASES = {
  'the first page':
    async ({ users }) =>
    () =>
      users('limit=20'),
  'the first page, by address':
    async ({ users }) =>
    () =>
      users('sort=email'),
  'a page midway, by cursor': async (asker) => {
    const query = await midway(asker, 'sort=-createdAt')
    return () => asker.users(query)
  },
  'a page midway by address, by cursor': async (asker) => {
    const query = await midway(asker, 'sort=email')
    return () => asker.users(query)
  },
  'search: a whole address': async (asker) => {
    const { email } = await someone(asker)
    return () => asker.users(`search=${email}`)
  },
  'search: most of an address': async (asker) => {
    const { email } = await someone(asker)
    return () => asker.users(`search=${email.slice(0, email.indexOf('@'))}`)
  },
  'search: a rare name':
    async ({ users }) =>
    () =>
      users('search=ola'),
  'search: no match':
    async ({ users }) =>
    () =>
      users('search=zz'),
  'search: a common name':
    async ({ users }) =>
    () =>
      users('search=clara'),
  'search: a common name, by address':
    async ({ users }) =>
    () =>
      users('search=clara&sort=email'),
  'search: one letter':
    async ({ users }) =>
    () =>
      users('search=a'),
  'search: a common name and a family':
    async ({ users }) =>
    () =>
      users('search=clara%20chrberg'),
  'search: a family':
    async ({ users }) =>
    () =>
      users('search=chrberg'),
  'search: a small firm':
    async ({ users }) =>
    () =>
      users('search=%40firm123.'),
  'search: a large firm':
    async ({ users }) =>
    () =>
      users('search=%40mail.test'),
  disabled:
    async ({ users }) =>
    () =>
      users('disabled=true'),
  'not disabled':
    async ({ users }) =>
    () =>
      users('disabled=false'),
  'search: a common name, not disabled':
    async ({ users }) =>
    () =>
      users('search=clara&disabled=false'),
  'search: a common name, disabled':
    async ({ users }) =>
    () =>
      users('search=clara&disabled=true'),
  'of a tenant':
    async ({ users, tenantId }) =>
    () =>
      users(`tenantId=${tenantId}`),
  'search: a common name, of a tenant':
    async ({ users, tenantId }) =>
    () =>
      users(`tenantId=${tenantId}&search=clara`),
  'members: the first page':
    async ({ members }) =>
    () =>
      members('limit=20'),
  'members: a page midway': async ({ members, size }) => {
    const page = Math.floor(size / 40)
    return () => members(`page=${page}`)
  },
}

const print = (line) => process.stdout.write(`${line}\n`)

const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)]

async function timeOf(ask) {
  const begin = performance.now()
  await ask()
  return performance.now() - begin
}

async function measure(askers, prepareCase) {
  const asks = []
  for (const asker of askers) asks.push(await prepareCase(asker))
  const times = asks.map(() => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, ask] of asks.entries()) {
      const time = await timeOf(ask)
      // The first ones fill memories.
      if (round >= 5) times[index].push(time)
    }
  }
  return times.map(median)
}

const askers = []
for (const size of SIZES) askers.push(await newAsker(size))
const wanted = process.argv[3] ?? ''
print('| | 1,000: ms | 1,000,000: ms | ratio |\n| --- | ---: | ---: | ---: |')
for (const [name, prepareCase] of Object.entries(CASES)) {
  if (!name.includes(wanted)) continue
  const [small, large] = await measure(askers, prepareCase)
  print(`| ${name} | ${small.toFixed(1)} | ${large.toFixed(1)} | ${(large / small).toFixed(2)} |`)
}
for (const { service } of askers) {
  await service.app.close()
  await service.ctx.changes.stop()
  await service.ctx.db.destroy()
}
await server.stop()
if (!process.argv[2]) rmSync(folder, { recursive: true, force: true })
