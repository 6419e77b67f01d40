import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const databases: TestDatabase[] = []
afterEach(async () => {
  for (const database of databases.splice(0)) await database.close()
})

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createDatabase('template0')
  databases.push(database)
  return database
}

async function query(database: TestDatabase, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(database.direct)
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows
}

const step = (version: number, sql: string) => ({ version, name: `step_${version}`, sql, checksum: sql })

test('each migration is applied once when ten nodes start concurrently', async () => {
  const { direct } = await emptyDatabase()
  const results = await Promise.all(Array.from({ length: 10 }, () => migrate(direct)))
  const applied = results.flat().map(({ version }) => version)
  expect(applied).toEqual(readMigrations().map(({ version }) => version))
})

test('a failed migration rolls back all migrations of the run', async () => {
  const database = await emptyDatabase()
  const steps = [step(1, 'create table a (x int)'), step(2, 'create table b (x int); select nonsense')]
  await expect(migrate(database.direct, steps)).rejects.toThrow('nonsense')
  const tables = await query(database, "select tablename from pg_tables where schemaname = 'public'")
  expect(tables).toEqual([])
})

test('only pending migrations are applied, in order', async () => {
  const { direct } = await emptyDatabase()
  const first = step(1, 'create table a (x int)')
  const second = step(2, 'alter table a add y int')
  expect(await migrate(direct, [first])).toEqual([first])
  expect(await migrate(direct, [first, second])).toEqual([second])
  expect(await migrate(direct, [first, second])).toEqual([])
})

test('a database that is newer than the program is rejected', async () => {
  const { direct } = await emptyDatabase()
  const first = step(1, 'create table a (x int)')
  await migrate(direct, [first, step(2, 'create table b (x int)')])
  await expect(migrate(direct, [first])).rejects.toThrow(
    'The database is newer than this Latchkey: it holds migration 2',
  )
})

test('a newer database is accepted if its migrations declare compatibility', async () => {
  const { direct } = await emptyDatabase()
  const [first, second] = [step(1, 'create table a (x int)'), step(2, 'alter table a add y int')]
  const third = { ...step(3, 'alter table a add z int'), oldestProgram: 2 }
  await migrate(direct, [first, second, third])
  expect(await migrate(direct, [first, second])).toEqual([])
  await expect(migrate(direct, [first])).rejects.toThrow(
    'The database is newer than this Latchkey: it holds migration 2',
  )
})

test('a database of a release without the column oldest_program is migrated', async () => {
  const database = await emptyDatabase()
  const [first, second] = [step(1, 'create table a (x int)'), { ...step(2, 'select 1'), oldestProgram: 1 }]
  await migrate(database.direct, [first])
  await query(database, 'alter table schema_migrations drop column oldest_program')
  expect(await migrate(database.direct, [first])).toEqual([])
  expect(await migrate(database.direct, [first, second])).toEqual([second])
  expect(await migrate(database.direct, [first])).toEqual([])
})

test('a migration that was changed after it was applied is rejected', async () => {
  const { direct } = await emptyDatabase()
  await migrate(direct, [step(1, 'create table a (x int)')])
  await expect(migrate(direct, [step(1, 'create table a (x bigint)')])).rejects.toThrow('Migration 1 (step_1) differs')
})

test('migrations are numbered without gaps', () => {
  const versions = readMigrations().map(({ version }) => version)
  expect(versions).toEqual(versions.map((_, index) => index + 1))
})
