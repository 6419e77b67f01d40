import { readFileSync } from 'node:fs'
import { afterEach, expect, inject, test } from 'vitest'
import { isDatabaseAway } from '../../src/db/away.ts'
import { openClient, openPool } from '../../src/db/connections.ts'
import { adminOf } from '../support/database.ts'
import { freePort } from '../support/program.ts'

const open: { end(): Promise<void> }[] = []
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.end().catch(() => {})
})

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

test.each([
  ['refuses, under one address', '127.0.0.1'],
  ['refuses, under a name with several', 'localhost'],
  ['has no such name', 'nowhere.invalid'],
  ['has no such socket', '/nowhere'],
])('a server that %s is away', async (_name, host) => {
  const client = openClient({ host, port: Number(await freePort()), user: 'x', database: 'x' })
  open.push(client)
  expect(isDatabaseAway(await failureOf(client.connect()))).toBe(true)
})

test('a server that ends our session is away, in the middle of a query and at the next one', async () => {
  const client = openClient({ host: inject('socketDir'), user: 'latchkey', database: 'latchkey' })
  await client.connect()
  const admin = await adminOf(inject('socketDir'))
  open.push(client, admin)
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const interrupted = failureOf(client.query('select pg_sleep(10)'))
  await admin.query('select pg_terminate_backend($1)', [rows[0]?.pid])
  expect(isDatabaseAway(await interrupted)).toBe(true)
  expect(isDatabaseAway(await failureOf(client.query('select 1')))).toBe(true)
})

test('a pool without a free connection is away', async () => {
  const settings = {
    host: inject('socketDir'),
    user: 'latchkey',
    database: 'latchkey',
    connectionTimeoutMillis: 30_000,
  }
  const pool = openPool(settings, 1)
  const held = await pool.connect()
  // The first had all the time that it took to connect; the second waits in vain.
  pool.options.connectionTimeoutMillis = 200
  expect(isDatabaseAway(await failureOf(pool.query('select 1')))).toBe(true)
  held.release()
  await pool.end()
})

test('a mistake of ours is not', async () => {
  const client = openClient({ host: inject('socketDir'), user: 'latchkey', database: 'latchkey' })
  await client.connect()
  open.push(client)
  expect(isDatabaseAway(await failureOf(client.query('select nonsense')))).toBe(false)
  const missingFile = await failureOf(Promise.resolve().then(() => readFileSync('/nowhere/at/all')))
  expect(isDatabaseAway(missingFile)).toBe(false)
})
