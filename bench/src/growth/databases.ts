import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { checkConsistency } from './consistency.ts'
import { fill } from './filling.ts'
import { runLatchkey, type Where } from './service.ts'
import { declare } from './world.ts'

/** Smaller ones are filled anew each time: what is measured on them makes them grow. */
const WORTH_KEEPING = 100_000
/** What was filled in longer ago has sessions that have run out. */
const KEPT_DAYS = 7

/** A connection to a database as somebody whom no wall holds back. */
export async function asOwner<T>(
  { socketDir, database }: Where,
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

/** A database with so many of everything; one that was kept is used again. */
export async function prepareDatabase(
  socketDir: string,
  size: number,
  tell: (line: string) => void,
): Promise<Where> {
  const where = { socketDir, database: `growth_${size}` }
  if (size >= WORTH_KEEPING && (await isFilled(where))) {
    // What is new in the schema is made, as it would be anywhere.
    await runLatchkey(where, ['migrate'])
    await asOwner(where, async (client) => {
      await client.query('vacuum analyze')
      await client.query('checkpoint')
    })
    return where
  }
  await asOwner({ socketDir, database: 'postgres' }, async (client) => {
    await client.query(`drop database if exists ${where.database}`)
    await client.query(`create database ${where.database} owner latchkey`)
  })
  await applyWorld(where, size)
  tell(`filling ${where.database}`)
  await asOwner(where, async (client) => {
    await fill(client, size, tell)
    await checkConsistency(client)
    await client.query(`comment on database ${where.database} is '${new Date().toISOString()}'`)
  })
  return where
}

/** Whether it was filled to the end, and not too long ago. */
async function isFilled({ socketDir, database }: Where): Promise<boolean> {
  return asOwner({ socketDir, database: 'postgres' }, async (client) => {
    const { rows } = await client.query<{ filled: string | null }>(
      "select shobj_description(oid, 'pg_database') as filled from pg_database where datname = $1",
      [database],
    )
    return Date.now() - Date.parse(rows[0]?.filled ?? '') < KEPT_DAYS * 86_400_000
  })
}

async function applyWorld(where: Where, size: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-growth-'))
  try {
    const file = join(folder, 'world.yaml')
    writeFileSync(file, declare(size))
    await runLatchkey(where, ['apply', '--yes', '-f', file])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
