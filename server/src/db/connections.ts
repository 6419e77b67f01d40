import pg from 'pg'

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

export function openClient(settings: pg.ClientConfig): pg.Client {
  const client = new pg.Client({ ...settings, types })
  client.on('error', ignore)
  return client
}

/**
 * What a connection has planned, it does again in the same way, also when a table that was empty then has grown: a
 * new connection looks anew.
 */
const LIFETIME_SECONDS = 60

export function openPool(settings: pg.PoolConfig, size: number): pg.Pool {
  const pool = new pg.Pool({ ...settings, types, max: size, maxLifetimeSeconds: LIFETIME_SECONDS })
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
  return pool
}
