import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { checkConsistency } from './consistency.ts'
import { fill } from './fill.ts'
import { createSeed } from './seed.ts'
import { type DatabaseAddress, runLatchkey } from './service.ts'

/** Smaller databases are filled again each time, because measurements add rows to them. */
const MIN_REUSED_SIZE = 100_000
/** The sessions of older databases have expired. */
const MAX_REUSED_DAYS = 7

/** Connects as a superuser, who bypasses row-level security. */
export async function withSuperuser<T>(
  { socketDir, database }: DatabaseAddress,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ host: socketDir, user: 'postgres', database })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Returns a database filled with `size` users and their data. Reuses a recent large one. */
export async function prepareDatabase(
  socketDir: string,
  size: number,
  log: (line: string) => void,
): Promise<DatabaseAddress> {
  const address = { socketDir, database: `growth_${size}` }
  if (size >= MIN_REUSED_SIZE && (await isFilled(address))) {
    // The database may have an older schema.
    await runLatchkey(address, ['migrate'])
    await withSuperuser(address, async (client) => {
      await client.query('vacuum analyze')
      await client.query('checkpoint')
    })
    return address
  }
  await withSuperuser({ socketDir, database: 'postgres' }, async (client) => {
    await client.query(`drop database if exists ${address.database}`)
    await client.query(`create database ${address.database} owner latchkey`)
  })
  await applySeed(address, size)
  log(`filling ${address.database}`)
  await withSuperuser(address, async (client) => {
    await fill(client, size, log)
    await checkConsistency(client)
    await client.query(`comment on database ${address.database} is '${new Date().toISOString()}'`)
  })
  return address
}

/** Whether the database was filled completely, and recently enough. */
async function isFilled({ socketDir, database }: DatabaseAddress): Promise<boolean> {
  return withSuperuser({ socketDir, database: 'postgres' }, async (client) => {
    const { rows } = await client.query<{ filled: string | null }>(
      "select shobj_description(oid, 'pg_database') as filled from pg_database where datname = $1",
      [database],
    )
    return Date.now() - Date.parse(rows[0]?.filled ?? '') < MAX_REUSED_DAYS * 86_400_000
  })
}

async function applySeed(address: DatabaseAddress, size: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-growth-'))
  try {
    const file = join(folder, 'seed.yaml')
    writeFileSync(file, createSeed(size))
    await runLatchkey(address, ['apply', '--yes', '-f', file])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
