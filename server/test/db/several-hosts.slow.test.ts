import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isDatabaseAway } from '../../src/db/away.ts'
import { openClient, openPool } from '../../src/db/connections.ts'
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts'

// Two servers, one of which takes writes. That they hold the same is the matter of those who replicate them.

let servers: [OwnPostgres, OwnPostgres]
let address: string
beforeAll(async () => {
  servers = [await startOwnPostgres(), await startOwnPostgres()]
  const hosts = servers.map(({ url }) => new URL(url).host)
  address = `postgres://latchkey@${hosts.join(',')}/latchkey?target_session_attrs=read-write`
})
afterAll(() => Promise.all(servers.map(({ stop }) => stop())))

async function takesWrites({ url }: OwnPostgres, answer: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('begin read write')
  await client.query(`alter role latchkey set default_transaction_read_only = ${answer ? 'off' : 'on'}`)
  await client.query('commit')
  await client.end()
}

const portOf = async (pool: pg.Pool): Promise<string> => {
  const { rows } = await pool.query('show port')
  return rows[0].port
}

test('connections are made to the server that takes writes, whichever that is', async () => {
  const ports = servers.map(({ url }) => new URL(url).port)
  for (const primary of [0, 1] as const) {
    await takesWrites(servers[primary], true)
    await takesWrites(servers[1 - primary] as OwnPostgres, false)
    const pool = openPool({ connectionString: address }, 3)
    expect(await Promise.all([1, 2, 3].map(() => portOf(pool)))).toEqual(Array(3).fill(ports[primary]))
    await pool.end()
    const client = openClient({ connectionString: address })
    await client.connect()
    expect((await client.query('show port')).rows).toEqual([{ port: ports[primary] }])
    await client.end()
  }
})

test('a pool goes on with the other server when the first is gone', async () => {
  await Promise.all(servers.map((server) => takesWrites(server, true)))
  await takesWrites(servers[1], false)
  const pool = openPool({ connectionString: address, connectionTimeoutMillis: 5_000 }, 3)
  await portOf(pool)
  await takesWrites(servers[1], true)
  await servers[0].kill()
  await expect.poll(() => portOf(pool).catch(() => '')).toBe(new URL(servers[1].url).port)
  await pool.end()
  await servers[0].start()
})

test('while none takes writes the database is away', async () => {
  await Promise.all(servers.map((server) => takesWrites(server, false)))
  const pool = openPool({ connectionString: address }, 1)
  const refused = await portOf(pool).catch((error: unknown) => error)
  expect(refused).toMatchObject({ message: 'none of the servers can be reached and takes writes' })
  expect(isDatabaseAway(refused)).toBe(true)
  await pool.end()
})
