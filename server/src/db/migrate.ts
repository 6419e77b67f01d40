import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Logger, runMigrations as migrateJobQueue } from 'graphile-worker'
import type pg from 'pg'
import { OperatorError } from '../errors.ts'
import { openClient, openPool } from './connections.ts'

export interface Migration {
  version: number
  name: string
  sql: string
  checksum: string
}

/** The same folder whether this file runs from src or from dist. */
const FOLDER = fileURLToPath(new URL('../../src/db/migrations/', import.meta.url))

/** Any number will do, as long as every node uses the same. */
const LOCK = 7_226_013_404

const SILENT = new Logger(() => () => {})

export function readMigrations(folder = FOLDER): Migration[] {
  return readdirSync(folder)
    .filter((file) => /^\d{4}_[a-z0-9_]+\.sql$/.test(file))
    .sort()
    .map((file) => {
      const sql = readFileSync(`${folder}/${file}`, 'utf8')
      const checksum = createHash('sha256').update(sql).digest('hex')
      return { version: Number(file.slice(0, 4)), name: file.slice(5, -4), sql, checksum }
    })
}

/**
 * Brings the database to this program's schema, forward only, and returns what was applied. All nodes may call
 * it at once: one lock lets them in one by one, and one transaction makes it all or nothing.
 */
export async function migrate(
  settings: pg.ClientConfig,
  migrations = readMigrations(),
): Promise<Migration[]> {
  const client = openClient(settings)
  await client.connect()
  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [LOCK])
    const pending = await findPending(client, migrations)
    const pool = openPool(settings, 1)
    await migrateJobQueue({ pgPool: pool, logger: SILENT }).finally(() => pool.end())
    for (const { version, name, checksum, sql } of pending) {
      await client.query(sql)
      await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
        version,
        name,
        checksum,
      ])
    }
    await client.query('commit')
    return pending
  } finally {
    await client.end()
  }
}

async function findPending(client: pg.Client, migrations: Migration[]): Promise<Migration[]> {
  await client.query(
    `create table if not exists schema_migrations (
       version int primary key,
       name text not null,
       checksum text not null,
       applied_at timestamptz not null default now()
     )`,
  )
  const { rows } = await client.query<{ version: number; name: string; checksum: string }>(
    'select version, name, checksum from schema_migrations order by version',
  )
  const known = new Map(migrations.map((migration) => [migration.version, migration]))
  for (const { version, name, checksum } of rows) {
    const ours = known.get(version)
    if (!ours) {
      throw new OperatorError(
        `The database is newer than this Latchkey: it holds migration ${version} (${name}). ` +
          'Start the release that made it, or a later one.',
      )
    }
    if (ours.checksum !== checksum) {
      throw new OperatorError(
        `Migration ${version} (${ours.name}) differs from the one that this database was made with (${name}). ` +
          'Start a release of Latchkey, not an altered copy.',
      )
    }
  }
  const applied = new Set(rows.map((row) => row.version))
  return migrations.filter(({ version }) => !applied.has(version))
}
