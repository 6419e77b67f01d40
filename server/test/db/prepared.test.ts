import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Db, openDb } from '../../src/db/open.ts'
import { PLANNED_EACH_TIME } from '../../src/db/prepared.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createDatabase()
  // One connection, so that what it has prepared can be looked up.
  db = openDb(database, 1)
  await sql`create table things (id int primary key)`.execute(db)
  await sql`insert into things values (1), (2)`.execute(db)
})
afterAll(async () => {
  await db.destroy()
  await database.close()
})

const find = (id: number, on: Db = db) => sql`select * from things where id = ${id}`.execute(on)

async function preparedWith(part: string): Promise<string[]> {
  const { rows } = await sql<{ name: string; statement: string }>`
    select name, statement from pg_prepared_statements`.execute(db)
  return rows.filter(({ statement }) => statement.includes(part)).map(({ name }) => name)
}

test('a statement that comes again and again is prepared once, and answers as before', async () => {
  for (let i = 0; i < 5; i++) await find(1)
  expect(await preparedWith('from things')).toEqual([])
  for (let i = 0; i < 20; i++) expect((await find(1 + (i % 2))).rows).toEqual([{ id: 1 + (i % 2) }])
  expect(await preparedWith('from things')).toHaveLength(1)
})

test('one whose best plan depends on what is asked never is', async () => {
  const ask = () => sql`select ${sql.raw(PLANNED_EACH_TIME)} id from things where id > ${0}`.execute(db)
  for (let i = 0; i < 20; i++) await ask()
  expect(await preparedWith('planned each time')).toEqual([])
})

test('neither is one of which no other is like it', async () => {
  for (let i = 0; i < 20; i++) await sql`select ${sql.raw(`${i}`)} as "once", ${i}::int`.execute(db)
  expect(await preparedWith('"once"')).toEqual([])
})

test('a change of the schema is not noticed, also by what stands in a transaction', async () => {
  for (let i = 0; i < 20; i++) await find(1)
  await sql`alter table things add column name text`.execute(db)
  expect((await find(1)).rows).toEqual([{ id: 1, name: null }])
  for (let i = 0; i < 20; i++) await find(1)
  await sql`alter table things add column more text`.execute(db)
  let times = 0
  const within = () =>
    db.transaction().execute((tx) => {
      times += 1
      return find(1, tx)
    })
  expect((await within()).rows).toEqual([{ id: 1, name: null, more: null }])
  expect(times).toBe(2)
})

test('a mistake in a prepared statement is told as it is', async () => {
  const divide = (by: number) => sql`select 1 / ${by}::int`.execute(db)
  for (let i = 0; i < 20; i++) await divide(1)
  await expect(divide(0)).rejects.toThrow('division by zero')
  await divide(1)
})
