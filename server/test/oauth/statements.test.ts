import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import {
  authorize,
  exchange,
  introspect,
  machineToken,
  obtainTokens,
  refresh,
  signIn,
  startWorld,
  userinfo,
} from '../support/world.ts'

let service: TestService
let owner: pg.Client
let url: string
let cookie: string

beforeAll(async () => {
  service = await startWorld()
  url = service.url
  owner = new pg.Client({ host: inject('socketDir'), user: 'postgres', database: service.connection.name })
  owner.on('error', () => {})
  await owner.connect()
  await owner.query('create extension pg_stat_statements')
  cookie = await signIn(url, 'mia@acme.test')
  // Whatever is read once is read now.
  await obtainTokens(url, cookie)
  await machineToken(url, 'demo-machine')
  await introspect(url, 'none')
  await service.ctx.changes.settle()
})
afterAll(async () => {
  await owner?.end()
  await service?.close()
})

/** How many statements the database has run for this, transactions' beginnings and ends included. */
async function count(work: () => Promise<unknown>): Promise<number> {
  await owner.query(
    'select pg_stat_statements_reset(0, (select oid from pg_database where datname = current_database()))',
  )
  await work()
  const { rows } = await owner.query(
    `select coalesce(sum(calls), 0)::int as calls, coalesce(string_agg(query, E'\\n'), '') as queries
     from pg_stat_statements
     where dbid = (select oid from pg_database where datname = current_database())
       and query not in ('select $1', 'select pg_notify($1, $2)') and query not like '%pg_stat_statements%'
       and userid <> (select oid from pg_roles where rolname = 'postgres')`,
  )
  return rows[0].calls
}

/** The figures of docs/openid-connect.md. */
test('client credentials: no statement when the client is known', async () => {
  expect(await count(() => machineToken(url, 'demo-machine'))).toBe(0)
})

test('code exchange: two statements, with PKCE and a refresh token', async () => {
  const { answer } = await authorize(url, cookie)
  expect(await count(() => exchange(url, answer.code))).toBe(2)
})

test('refresh: two statements', async () => {
  const { refresh_token } = await obtainTokens(url, cookie)
  expect(await count(() => refresh(url, refresh_token))).toBe(2)
})

test('userinfo and introspection: one statement for a new token, none for one in use', async () => {
  const { access_token } = await obtainTokens(url, cookie)
  expect(await count(() => userinfo(url, access_token))).toBe(1)
  expect(await count(() => userinfo(url, access_token))).toBe(0)
  expect(await count(() => introspect(url, access_token))).toBe(0)
})

test('introspection of a refresh token: one statement', async () => {
  const { refresh_token } = await obtainTokens(url, cookie)
  expect(await count(() => introspect(url, refresh_token))).toBe(1)
})

test('an authorization of somebody signed in: three statements', async () => {
  expect(await count(() => authorize(url, cookie))).toBe(3)
})

test('discovery and the key set: none', async () => {
  expect(await count(() => fetch(`${url}/api/oauth/jwks`))).toBe(0)
  expect(await count(() => fetch(`${url}/.well-known/openid-configuration`))).toBe(0)
})
