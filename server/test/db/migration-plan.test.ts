import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Migration, migrate, readMigrations } from '../../src/db/migrate.ts'
import { planMigrations, type Step } from '../../src/db/migration-plan.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const migrations = readMigrations()

/** Earlier migrations were applied with all nodes stopped. */
const FIRST_UNDER_TRAFFIC = 19

test('every migration declares the compatible releases and its slow steps', () => {
  for (const { migration, steps, warnings } of planMigrations(migrations)) {
    if (migration.version < FIRST_UNDER_TRAFFIC) continue
    expect(migration.oldestProgram, migration.name).toBeLessThan(migration.version)
    const slow = steps.filter(({ isSlow }) => isSlow).map(({ table = 'a statement that is not recognized' }) => table)
    expect(
      [...new Set(slow)].filter((table) => !warnings.has(table)),
      migration.name,
    ).toEqual([])
  }
})

const plan = (sql: string): Step[] =>
  planMigrations([{ version: 1, name: 'a', checksum: '', sql }]).flatMap(({ steps }) => steps)

test.each([
  ['alter table users add column shoe text', false],
  ["alter table users add column shoe text not null default 'x'", false],
  ['alter table users add column shoe uuid not null default gen_random_uuid()', true],
  ['alter table users add column shoe uuid references shoes', true],
  ['alter table users alter column email type varchar(100)', true],
  ['alter table users alter column email set not null', true],
  ['alter table users add constraint one check (true)', true],
  ['alter table users add constraint one check (true) not valid', false],
  ['alter table users add column a int, alter column email type text', true],
  ['create index users_shoe on users (shoe)', true],
  ['create unique index on users (shoe)', true],
  ['create table shoes (id int); create index on shoes (id)', false],
  ['update users set shoe = 1', true],
  ['do $$ begin perform 1; end $$', true],
  ["insert into shoes values ('a;b')", false],
  ['insert into shoes select * from users', true],
  ['create table shoes (id int); alter table users attach partition shoes for values from (1) to (2)', false],
  ['alter table users attach partition shoes for values from (1) to (2)', true],
  ['vacuum full users', true],
])('%s: slow is %s', (sql, isSlow) => {
  expect(plan(sql).some((step) => step.isSlow)).toBe(isSlow)
})

test('steps on a renamed table are listed under its former name', () => {
  const steps = plan(`
    alter table users rename to users_first;
    create table users (like users_first) partition by range (id);
    create index on users (id);
    alter table users attach partition users_first for values from (minvalue) to (maxvalue)`)
  expect(steps).toMatchObject([
    { table: 'users', isSlow: false },
    { table: undefined, effect: 'a new table' },
    { table: 'users', isSlow: true },
  ])
})

const ROWS = 'ROW EXCLUSIVE'

/** A database to observe the locks and rewrites of each migration. */
let database: TestDatabase
let client: pg.Client
beforeAll(async () => {
  database = await createDatabase('template0')
  await migrate(database.direct, [])
  client = new pg.Client(database.direct)
  await client.connect()
})
afterAll(async () => {
  await client?.end()
  await database?.close()
})

const readTables = async (): Promise<Map<string, string>> => {
  const { rows } = await client.query<{ name: string; file: string }>(
    `select relname as name, pg_relation_filenode(oid)::text as file from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  return new Map(rows.map(({ name, file }) => [name, file]))
}

async function observe({ sql }: Migration) {
  await client.query('begin')
  const before = await readTables()
  await client.query(sql)
  const after = await readTables()
  const { rows } = await client.query<{ name: string; mode: string }>(
    `select relation::regclass::text as name, mode from pg_locks
     where pid = pg_backend_pid() and locktype = 'relation' and relation::regclass::text !~ '^pg_'`,
  )
  await client.query('commit')
  const strong = rows.filter(({ name, mode }) => before.has(name) && /^(?:AccessExclusive|Share|ShareRow)/.test(mode))
  return {
    locked: strong.filter(({ mode }) => mode !== 'ShareUpdateExclusiveLock').map(({ name }) => name),
    rewritten: [...before].filter(([name, file]) => after.has(name) && after.get(name) !== file).map(([name]) => name),
  }
}

test('the plan contains every table that PostgreSQL locks or rewrites', async () => {
  for (const { migration, steps } of planMigrations(migrations)) {
    const { locked, rewritten } = await observe(migration)
    const named = new Set(steps.filter(({ lock }) => lock !== ROWS).map(({ table }) => table))
    const isUnknown = steps.some(({ table, isSlow }) => table === undefined && isSlow)
    // A foreign key of a new table briefly locks the referenced table.
    const referenced = new Set([...migration.sql.matchAll(/references (\w+)/g)].map(([, table]) => table))
    const missed = locked.filter((table) => !named.has(table) && !referenced.has(table))
    if (!isUnknown) expect(missed, migration.name).toEqual([])
    const slow = new Set(steps.filter(({ isSlow }) => isSlow).map(({ table }) => table))
    expect(
      rewritten.filter((table) => !slow.has(table)),
      migration.name,
    ).toEqual([])
  }
})
