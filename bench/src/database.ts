import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'

/** The bundled PostgreSQL, shared by all programs. Commits are durable. */
export interface Database {
  version: string
  socketDir: string
  /** The postmaster. */
  pid: number
  /** Creates a database and returns its URL. */
  create(name: string): Promise<string>
  /** Statements executed in a database so far, including those of background jobs. */
  countStatements(name: string): Promise<number>
  countConnections(name: string): Promise<number>
  stop(): Promise<void>
}

interface BundledServer {
  socketDir: string
  stop(): Promise<void>
}

type StartBundled = (
  folder: string,
  options: { use: 'own'; settings: Record<string, string> },
) => Promise<BundledServer>

/** Loads `startBundled` from the built service. */
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
  const superuser = new pg.Client({ host: socketDir, user: 'postgres', database: 'postgres' })
  // Stopping the server closes this connection, which is no error.
  superuser.on('error', () => {})
  await superuser.connect()
  await superuser.query('create extension if not exists pg_stat_statements')
  const { rows } = await superuser.query<{ version: string; durable: boolean }>(
    `select current_setting('server_version') as version,
       current_setting('fsync')::boolean and current_setting('synchronous_commit') = 'on' as durable`,
  )
  if (!rows[0]?.durable) throw new Error('The database is not durable, so its results would not be valid.')
  return {
    version: rows[0].version,
    socketDir,
    pid: Number(readFileSync(join(socketDir, '.s.PGSQL.5432.lock'), 'utf8').split('\n')[0]),
    async create(name) {
      await superuser.query(`create database ${pg.escapeIdentifier(name)} owner latchkey`)
      return `postgresql://latchkey@localhost/${name}?host=${encodeURIComponent(socketDir)}`
    },
    async countStatements(name) {
      const result = await superuser.query<{ calls: string }>(
        `select coalesce(sum(calls), 0) as calls from pg_stat_statements
         where dbid = (select oid from pg_database where datname = $1)`,
        [name],
      )
      return Number(result.rows[0]?.calls)
    },
    async countConnections(name) {
      const result = await superuser.query<{ open: string }>(
        'select count(*) as open from pg_stat_activity where datname = $1',
        [name],
      )
      return Number(result.rows[0]?.open)
    },
    async stop() {
      await superuser.end().catch(() => {})
      await stop()
    },
  }
}
