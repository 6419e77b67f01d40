import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import type { Ctx } from '../../src/context.ts'
import { noopChangeFeed } from '../../src/db/changes.ts'
import { type Db, openDb } from '../../src/db/open.ts'
import { defineJob } from '../../src/jobs/job.ts'
import { startWorker } from '../../src/jobs/worker.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { createMetrics } from '../../src/lib/metrics/metrics.ts'
import { noopTracer } from '../../src/lib/tracing/tracer.ts'
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

test('a tick runs once on several nodes, also when all of them were stopped at its time', async () => {
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
  // The parts of the context that the worker needs.
  const ctx = {
    config: loadConfig('demo', { DATABASE_URL: database.url }),
    db,
    changes: noopChangeFeed,
    log: createLogger('silent'),
    metrics: createMetrics(),
    tracer: noopTracer,
  } as Ctx
  const workUntil = async (condition: () => Promise<unknown>) => {
    const workers = await Promise.all([1, 2, 3].map(() => startWorker(ctx, database, [job])))
    await condition()
    await Promise.all(workers.map((worker) => worker.stop()))
  }
  const crontabs = sql`graphile_worker._private_known_crontabs`
  const countCrontabs = async () => (await sql`select 1 from ${crontabs}`.execute(db)).rows.length
  const waitOneSecond = () => new Promise((resolve) => setTimeout(resolve, 1_000))

  await workUntil(() => expect.poll(countCrontabs).toBe(1))
  await sql`update ${crontabs} set known_since = now() - interval '1 day'`.execute(db)
  await workUntil(() => expect.poll(() => runs).toBe(1))
  await workUntil(waitOneSecond)
  expect(runs).toBe(1)
})
