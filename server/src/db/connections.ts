import pg from 'pg'
import { splitHosts } from '../lib/database-address.ts'
import { openSocket } from './dns-lookup.ts'
import { createMultiHostClient } from './multi-host-client.ts'

/**
 * An idle connection that breaks emits an `error` event, which would end the process without a listener. A connection in
 * use reports the error through its query, so the event is ignored.
 */
const ignore = () => {}

/** The driver returns int8 as text by default. All int8 values here are far below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
}

/** A URL with several servers needs another client class. */
function resolveHosts<T extends pg.ClientConfig>(settings: T): T & { Client: typeof pg.Client } {
  const [first, ...others] = splitHosts(settings.connectionString ?? '')
  if (others.length === 0) return { ...settings, Client: pg.Client }
  return { ...settings, connectionString: first, Client: createMultiHostClient([first as string, ...others]) }
}

export function openClient(settings: pg.ClientConfig): pg.Client {
  const { Client, ...resolved } = resolveHosts(settings)
  const client = new Client({ ...resolved, types, stream: openSocket })
  client.on('error', ignore)
  return client
}

/** A connection keeps the plans of its prepared statements, even if a table has grown. New connections plan again. */
const MAX_LIFETIME_SECONDS = 60

export function openPool(settings: pg.PoolConfig, size: number): pg.Pool {
  const pool = new pg.Pool({
    ...resolveHosts(settings),
    types,
    stream: openSocket,
    max: size,
    maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
  })
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
  return pool
}
