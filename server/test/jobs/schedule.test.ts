import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import type { Ctx } from '../../src/context.ts'
import { silentFeed } from '../../src/db/changes.ts'
import { type Db, openDb } from '../../src/db/open.ts'
import { defineJob } from '../../src/jobs/job.ts'
import { startWorker } from '../../src/jobs/worker.ts'
import { createFigures } from '../../src/lib/figures.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { silentTracer } from '../../src/lib/tracer.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createDatabase()
  db = openDb(database, 5)
})
afterAll(async () => {
  await db.destroy()
  await database.close()
})

test('a tick runs once among several nodes, also when all of them were off at its time', async () => {
  let runs = 0
  // Ten minutes ago, and at no other time within the hour.
  const minute = new Date(Date.now() - 10 * 60_000).getUTCMinutes()
  const job = defineJob<unknown>({
    name: 'hourly',
    schedule: `${minute} * * * *`,
    async run() {
      runs += 1
    },
  })
  // What the worker itself needs of the context.
  const ctx = {
    config: loadConfig('demo', { DATABASE_URL: database.url }),
    db,
    changes: silentFeed,
    log: createLogger('silent'),
    figures: createFigures(),
    tracer: silentTracer,
  } as Ctx
  const workUntil = async (condition: () => Promise<unknown>) => {
    const workers = await Promise.all([1, 2, 3].map(() => startWorker(ctx, database, [job])))
    await condition()
    await Promise.all(workers.map((worker) => worker.stop()))
  }
  const crontabs = sql`graphile_worker._private_known_crontabs`
  const known = async () => (await sql`select 1 from ${crontabs}`.execute(db)).rows.length
  const aWhile = () => new Promise((resolve) => setTimeout(resolve, 1_000))

  await workUntil(() => expect.poll(known).toBe(1))
  await sql`update ${crontabs} set known_since = now() - interval '1 day'`.execute(db)
  await workUntil(() => expect.poll(() => runs).toBe(1))
  await workUntil(aWhile)
  expect(runs).toBe(1)
})
