import pg from 'pg'
import { splitHosts } from '../lib/database-address.ts'
import { openSocket } from './lookup.ts'
import { clientOf } from './several-hosts.ts'

/**
 * A connection that breaks while nobody uses it raises an event, and an unheard event ends the process. Whoever was
 * using the connection hears of it from their own query, so the event itself is ignored.
 */
const ignore = () => {}

/** PostgreSQL's int8 arrives as text by default; our counts are far below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
}

/** An address of several servers needs connections of its own kind. */
function resolveHosts<T extends pg.ClientConfig>(settings: T): T & { Client: typeof pg.Client } {
  const [first, ...others] = splitHosts(settings.connectionString ?? '')
  if (others.length === 0) return { ...settings, Client: pg.Client }
  return { ...settings, connectionString: first, Client: clientOf([first as string, ...others]) }
}

export function openClient(given: pg.ClientConfig): pg.Client {
  const { Client, ...settings } = resolveHosts(given)
  const client = new Client({ ...settings, types, stream: openSocket })
  client.on('error', ignore)
  return client
}

/**
 * What a connection has planned, it does again in the same way, also when a table that was empty then has grown: a
 * new connection looks anew.
 */
const LIFETIME_SECONDS = 60

export function openPool(settings: pg.PoolConfig, size: number): pg.Pool {
  const pool = new pg.Pool({
    ...resolveHosts(settings),
    types,
    stream: openSocket,
    max: size,
    maxLifetimeSeconds: LIFETIME_SECONDS,
  })
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
  return pool
}
