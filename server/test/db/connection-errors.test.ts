import { readFileSync } from 'node:fs'
import { afterEach, expect, inject, test } from 'vitest'
import { isConnectionError } from '../../src/db/connection-errors.ts'
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
  ['to one address', '127.0.0.1'],
  ['to a name with several addresses', 'localhost'],
  ['to an unknown name', 'nowhere.invalid'],
  ['to a missing socket', '/nowhere'],
])('a failed connection %s is a connection error', async (_name, host) => {
  const client = openClient({ host, port: Number(await freePort()), user: 'x', database: 'x' })
  open.push(client)
  expect(isConnectionError(await failureOf(client.connect()))).toBe(true)
})

test('a terminated session is a connection error, for the running query and for the next one', async () => {
  const client = openClient({ host: inject('socketDir'), user: 'latchkey', database: 'latchkey' })
  await client.connect()
  const admin = await adminOf(inject('socketDir'))
  open.push(client, admin)
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const interrupted = failureOf(client.query('select pg_sleep(10)'))
  await admin.query('select pg_terminate_backend($1)', [rows[0]?.pid])
  expect(isConnectionError(await interrupted)).toBe(true)
  expect(isConnectionError(await failureOf(client.query('select 1')))).toBe(true)
})

test('a timeout of an exhausted pool is a connection error', async () => {
  const settings = {
    host: inject('socketDir'),
    user: 'latchkey',
    database: 'latchkey',
    connectionTimeoutMillis: 30_000,
  }
  const pool = openPool(settings, 1)
  const held = await pool.connect()
  // A short timeout for the second connection only, because the first one had to connect.
  pool.options.connectionTimeoutMillis = 200
  expect(isConnectionError(await failureOf(pool.query('select 1')))).toBe(true)
  held.release()
  await pool.end()
})

test('an invalid statement and a missing file are not connection errors', async () => {
  const client = openClient({ host: inject('socketDir'), user: 'latchkey', database: 'latchkey' })
  await client.connect()
  open.push(client)
  expect(isConnectionError(await failureOf(client.query('select nonsense')))).toBe(false)
  const missingFile = await failureOf(Promise.resolve().then(() => readFileSync('/nowhere/at/all')))
  expect(isConnectionError(missingFile)).toBe(false)
})
