import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Logger, runMigrations as migrateJobQueue } from 'graphile-worker'
import type pg from 'pg'
import { OperatorError } from '../errors.ts'
import { openClient, openPool } from './connections.ts'
import { retryOnDeadlock } from './errors.ts'

export interface Migration {
  version: number
  name: string
  sql: string
  checksum: string
  /** The oldest release that works on the new schema, given as the last migration that the release contains. */
  oldestProgram?: number | undefined
}

/** `-- Programs that know migration 0018 go on working.` */
const OLDEST_PROGRAM = /^-- Programs that know migration (\d{4}) go on working\.$/m

/** The path is the same from src and from dist. */
const FOLDER = fileURLToPath(new URL('../../src/db/migrations/', import.meta.url))

/** The advisory lock of migrations: an arbitrary number that all releases share. */
const MIGRATION_LOCK = 7_226_013_404

const SILENT_LOGGER = new Logger(() => () => {})

export function readMigrations(folder = FOLDER): Migration[] {
  return readdirSync(folder)
    .filter((file) => /^\d{4}_[a-z0-9_]+\.sql$/.test(file))
    .sort()
    .map((file) => {
      const sql = readFileSync(`${folder}/${file}`, 'utf8')
      const checksum = createHash('sha256').update(sql).digest('hex')
      const oldest = OLDEST_PROGRAM.exec(sql)?.[1]
      return {
        version: Number(file.slice(0, 4)),
        name: file.slice(5, -4),
        sql,
        checksum,
        oldestProgram: oldest === undefined ? undefined : Number(oldest),
      }
    })
}

/**
 * Applies the pending migrations in one transaction and returns them. Nodes may call it concurrently, because an advisory
 * lock serializes them. Running nodes lock tables in another order than a migration does, so deadlocks are retried.
 */
export const migrate = (settings: pg.ClientConfig, migrations = readMigrations()): Promise<Migration[]> =>
  retryOnDeadlock(() => applyPending(settings, migrations))

const applyPending = (settings: pg.ClientConfig, migrations: Migration[]): Promise<Migration[]> =>
  withClient(settings, async (client) => {
    await client.query('begin')
    // Overrides a lock_timeout of the role, because another node's migration may take long.
    await client.query('set local lock_timeout = 0')
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    const pending = await findPending(client, migrations)
    const pool = openPool(settings, 1)
    await migrateJobQueue({ pgPool: pool, logger: SILENT_LOGGER }).finally(() => pool.end())
    for (const { version, name, checksum, sql, oldestProgram = null } of pending) {
      await client.query(sql)
      await client.query(
        'insert into schema_migrations (version, name, checksum, oldest_program) values ($1, $2, $3, $4)',
        [version, name, checksum, oldestProgram],
      )
    }
    await client.query('commit')
    return pending
  })

async function withClient<T>(settings: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = openClient(settings)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The migrations that `migrate` would apply. */
export async function listPending(settings: pg.ClientConfig, migrations = readMigrations()): Promise<Migration[]> {
  return withClient(settings, async (client) => {
    const { rows } = await client.query(`select to_regclass('schema_migrations') is not null as exists`)
    return rows[0]?.exists ? comparePending(client, migrations) : migrations
  })
}

async function findPending(client: pg.Client, migrations: Migration[]): Promise<Migration[]> {
  await client.query(
    `create table if not exists schema_migrations (
       version int primary key,
       name text not null,
       checksum text not null,
       applied_at timestamptz not null default now(),
       oldest_program int
     )`,
  )
  const pending = await comparePending(client, migrations)
  if (pending.length > 0) {
    await client.query('alter table schema_migrations add column if not exists oldest_program int')
  }
  return pending
}

interface AppliedMigration {
  version: number
  name: string
  checksum: string
  oldestProgram: number | null
}

async function comparePending(client: pg.Client, migrations: Migration[]): Promise<Migration[]> {
  // In databases of earlier releases the table lacks the last column.
  const { rows } = await client.query<AppliedMigration>(
    `select version, name, checksum, (to_jsonb(applied) ->> 'oldest_program')::int as "oldestProgram"
     from schema_migrations applied order by version`,
  )
  const known = new Map(migrations.map((migration) => [migration.version, migration]))
  const latest = Math.max(0, ...known.keys())
  for (const { version, name, checksum, oldestProgram } of rows) {
    const migration = known.get(version)
    if (!migration && (oldestProgram === null || oldestProgram > latest)) {
      throw new OperatorError(
        `The database is newer than this Latchkey: it holds migration ${version} (${name}), ` +
          'with which this release cannot work. Start the release that made it, or a later one.',
      )
    }
    if (migration && migration.checksum !== checksum) {
      throw new OperatorError(
        `Migration ${version} (${migration.name}) differs from the one that this database was made with (${name}). ` +
          'Start a release of Latchkey, not an altered copy.',
      )
    }
  }
  const applied = new Set(rows.map((row) => row.version))
  return migrations.filter(({ version }) => !applied.has(version))
}
