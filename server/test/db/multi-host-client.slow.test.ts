import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isConnectionError } from '../../src/db/connection-errors.ts'
import { openClient, openPool } from '../../src/db/connections.ts'
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts'

// Two servers, one of which accepts writes. There is no replication between them.

let servers: [OwnPostgres, OwnPostgres]
let address: string
beforeAll(async () => {
  servers = [await startOwnPostgres(), await startOwnPostgres()]
  const hosts = servers.map(({ url }) => new URL(url).host)
  address = `postgres://latchkey@${hosts.join(',')}/latchkey?target_session_attrs=read-write`
})
afterAll(() => Promise.all(servers.map(({ stop }) => stop())))

async function setWritable({ url }: OwnPostgres, isWritable: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('begin read write')
  await client.query(`alter role latchkey set default_transaction_read_only = ${isWritable ? 'off' : 'on'}`)
  await client.query('commit')
  await client.end()
}

const portOf = async (pool: pg.Pool): Promise<string> => {
  const { rows } = await pool.query('show port')
  return rows[0].port
}

test('connections go to the server that accepts writes', async () => {
  const ports = servers.map(({ url }) => new URL(url).port)
  for (const primary of [0, 1] as const) {
    await setWritable(servers[primary], true)
    await setWritable(servers[1 - primary] as OwnPostgres, false)
    const pool = openPool({ connectionString: address }, 3)
    expect(await Promise.all([1, 2, 3].map(() => portOf(pool)))).toEqual(Array(3).fill(ports[primary]))
    await pool.end()
    const client = openClient({ connectionString: address })
    await client.connect()
    expect((await client.query('show port')).rows).toEqual([{ port: ports[primary] }])
    await client.end()
  }
})

test('a pool uses the other server after a failover', async () => {
  await Promise.all(servers.map((server) => setWritable(server, true)))
  await setWritable(servers[1], false)
  const pool = openPool({ connectionString: address, connectionTimeoutMillis: 5_000 }, 3)
  await portOf(pool)
  await setWritable(servers[1], true)
  await servers[0].kill()
  await expect.poll(() => portOf(pool).catch(() => '')).toBe(new URL(servers[1].url).port)
  await pool.end()
  await servers[0].start()
})

test('it is a connection error if no server accepts writes', async () => {
  await Promise.all(servers.map((server) => setWritable(server, false)))
  const pool = openPool({ connectionString: address }, 1)
  const failure = await portOf(pool).catch((error: unknown) => error)
  expect(failure).toMatchObject({ message: 'no database server is reachable and accepts writes' })
  expect(isConnectionError(failure)).toBe(true)
  await pool.end()
})
