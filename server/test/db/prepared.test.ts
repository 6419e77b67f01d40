import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Db, openDb } from '../../src/db/open.ts'
import { PLANNED_EACH_TIME } from '../../src/db/prepared.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createDatabase()
  // One connection, because pg_prepared_statements lists those of the current session.
  db = openDb(database, 1)
  await sql`create table things (id int primary key)`.execute(db)
  await sql`insert into things values (1), (2)`.execute(db)
})
afterAll(async () => {
  await db.destroy()
  await database.close()
})

const find = (id: number, on: Db = db) => sql`select * from things where id = ${id}`.execute(on)

async function findPrepared(part: string): Promise<string[]> {
  const { rows } = await sql<{ name: string; statement: string }>`
    select name, statement from pg_prepared_statements`.execute(db)
  return rows.filter(({ statement }) => statement.includes(part)).map(({ name }) => name)
}

test('a frequent statement is prepared once and returns the same rows', async () => {
  for (let i = 0; i < 5; i++) await find(1)
  expect(await findPrepared('from things')).toEqual([])
  for (let i = 0; i < 20; i++) expect((await find(1 + (i % 2))).rows).toEqual([{ id: 1 + (i % 2) }])
  expect(await findPrepared('from things')).toHaveLength(1)
})

test('a statement with PLANNED_EACH_TIME is never prepared', async () => {
  const query = () => sql`select ${sql.raw(PLANNED_EACH_TIME)} id from things where id > ${0}`.execute(db)
  for (let i = 0; i < 20; i++) await query()
  expect(await findPrepared('planned each time')).toEqual([])
})

test('a statement that is used once is not prepared', async () => {
  for (let i = 0; i < 20; i++) await sql`select ${sql.raw(`${i}`)} as "once", ${i}::int`.execute(db)
  expect(await findPrepared('"once"')).toEqual([])
})

test('prepared statements still work after a schema change, also in a transaction', async () => {
  for (let i = 0; i < 20; i++) await find(1)
  await sql`alter table things add column name text`.execute(db)
  expect((await find(1)).rows).toEqual([{ id: 1, name: null }])
  for (let i = 0; i < 20; i++) await find(1)
  await sql`alter table things add column more text`.execute(db)
  let times = 0
  const findInTransaction = () =>
    db.transaction().execute((tx) => {
      times += 1
      return find(1, tx)
    })
  expect((await findInTransaction()).rows).toEqual([{ id: 1, name: null, more: null }])
  expect(times).toBe(2)
})

test('an error of a prepared statement is passed on', async () => {
  const divide = (divisor: number) => sql`select 1 / ${divisor}::int`.execute(db)
  for (let i = 0; i < 20; i++) await divide(1)
  await expect(divide(0)).rejects.toThrow('division by zero')
  await divide(1)
})
