import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/open.ts'
import { PROCESS_LOCK } from '../../src/db/processes.ts'
import { defineJob, type Job } from '../../src/jobs/job.ts'
import { enqueue } from '../../src/jobs/store.ts'
import { startWorker } from '../../src/jobs/worker.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** Queues a job that is locked by a process. */
async function queueLocked(db: Db, job: Job<unknown>, number: number): Promise<void> {
  await enqueue(db, job, {})
  const worker = `pool-${number}`
  await db.insertInto('processes').values({ number, worker, gone_at: null }).execute()
  await sql`
    update graphile_worker._private_jobs set locked_by = ${worker}, locked_at = now(), attempts = 1
    where task_id = (select id from graphile_worker._private_tasks where identifier = ${job.name})
  `.execute(db)
}

test('jobs of a killed process are unlocked within seconds, those of a connected process are not', async () => {
  const { ctx, connection } = service
  const done: string[] = []
  const jobs = ['of_killed', 'of_connected'].map((name) =>
    defineJob<unknown>({
      name,
      async run() {
        done.push(name)
      },
    }),
  )
  await ctx.db.connection().execute(async (connected) => {
    await sql`select pg_advisory_lock(${PROCESS_LOCK}::integer, 2)`.execute(connected)
    const worker = await startWorker(ctx, connection, jobs)
    for (const [index, job] of jobs.entries())
      await ctx.db.transaction().execute((tx) => queueLocked(tx, job, index + 1))
    await expect.poll(() => done, { timeout: 60_000 }).toEqual(['of_killed'])
    const seen = ctx.db.selectFrom('processes').select('gone_at').where('number', '=', 2)
    expect(await seen.execute()).toEqual([{ gone_at: null }])
    await worker.stop()
    await sql`select pg_advisory_unlock(${PROCESS_LOCK}::integer, 2)`.execute(connected)
  })
})

test('a running process is registered with its worker, and a clean stop removes it', async () => {
  const { db, changes } = service.ctx
  const another = await startService({ worker: true })
  const find = () => another.ctx.db.selectFrom('processes').select(['number', 'worker']).execute()
  const expected = { number: another.ctx.changes.processNumber, worker: expect.stringMatching(/^pool-/) }
  await expect.poll(find).toEqual([expected])
  await another.close()
  expect(changes.processNumber).toBeDefined()
  const own = db
    .selectFrom('processes')
    .select('number')
    .where('number', '=', changes.processNumber ?? 0)
  expect(await own.execute()).toHaveLength(1)
  await changes.stop()
  expect(await own.execute()).toHaveLength(0)
})

test('a clean stop removes it even if the connection has just broken', async () => {
  const another = await startService({ sameDatabaseAs: service })
  const number = another.ctx.changes.processNumber ?? 0
  const { db } = service.ctx
  await sql`
    select pg_terminate_backend(pid, 5000) from pg_locks
    where locktype = 'advisory' and classid = ${PROCESS_LOCK}::oid and objid = ${number}::oid
  `.execute(db)
  await another.ctx.changes.stop()
  expect(await db.selectFrom('processes').select('number').where('number', '=', number).execute()).toEqual([])
  await another.close()
})
