import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'

/** One PostgreSQL for all programs, as the service brings it along: what is committed is on the disk. */
export interface Database {
  version: string
  socketDir: string
  /** Of the process that all others of the server come from. */
  pid: number
  /** Makes a database and says where it is. */
  create(name: string): Promise<string>
  /** How many statements were executed in a database so far, those of background work included. */
  countStatements(name: string): Promise<number>
  /** How many connections to a database are open. */
  countConnections(name: string): Promise<number>
  stop(): Promise<void>
}

interface Bundled {
  socketDir: string
  stop(): Promise<void>
}

type StartBundled = (
  folder: string,
  options: { use: 'own'; settings: Record<string, string> },
) => Promise<Bundled>

/** The service's own way of starting it, from what is built. */
export async function loadStartBundled(): Promise<StartBundled> {
  const built = new URL('../../server/dist/db/bundled/server.js', import.meta.url)
  return (await import(built.href)).startBundled
}

export async function startDatabase(folder: string): Promise<Database> {
  const startBundled = await loadStartBundled()
  const { socketDir, stop } = await startBundled(folder, {
    use: 'own',
    settings: { shared_preload_libraries: 'pg_stat_statements', max_connections: '200' },
  })
  const owner = new pg.Client({ host: socketDir, user: 'postgres', database: 'postgres' })
  // A server that is stopped ends its connections, and that is no mishap.
  owner.on('error', () => {})
  await owner.connect()
  await owner.query('create extension if not exists pg_stat_statements')
  const { rows } = await owner.query<{ version: string; durable: boolean }>(
    `select current_setting('server_version') as version,
       current_setting('fsync')::boolean and current_setting('synchronous_commit') = 'on' as durable`,
  )
  if (!rows[0]?.durable) throw new Error('The database is not durable, and its numbers would mean nothing.')
  return {
    version: rows[0].version,
    socketDir,
    pid: Number(readFileSync(join(socketDir, '.s.PGSQL.5432.lock'), 'utf8').split('\n')[0]),
    async create(name) {
      await owner.query(`create database ${pg.escapeIdentifier(name)} owner latchkey`)
      return `postgresql://latchkey@localhost/${name}?host=${encodeURIComponent(socketDir)}`
    },
    async countStatements(name) {
      const found = await owner.query<{ calls: string }>(
        `select coalesce(sum(calls), 0) as calls from pg_stat_statements
         where dbid = (select oid from pg_database where datname = $1)`,
        [name],
      )
      return Number(found.rows[0]?.calls)
    },
    async countConnections(name) {
      const found = await owner.query<{ open: string }>(
        'select count(*) as open from pg_stat_activity where datname = $1',
        [name],
      )
      return Number(found.rows[0]?.open)
    },
    async stop() {
      await owner.end().catch(() => {})
      await stop()
    },
  }
}
