import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import type { Ctx } from '../../src/context.ts'
import { openChangeFeed } from '../../src/db/changes.ts'
import { openDb } from '../../src/db/open.ts'
import { dispatchWebhooks } from '../../src/events/dispatch/service.ts'
import { fanOutEvents } from '../../src/events/fan-out/service.ts'
import { startIntervalJob } from '../../src/jobs/interval-job.ts'
import { defineJob } from '../../src/jobs/job.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { createMetrics } from '../../src/lib/metrics/metrics.ts'
import { createDatabase } from '../support/database.ts'

const ONE_HOUR_MS = 3_600_000

async function open() {
  const database = await createDatabase()
  const db = openDb(database, 2)
  const changes = await openChangeFeed(database.direct)
  onTestFinished(async () => {
    await changes.stop()
    await db.destroy()
    await database.close()
  })
  // The parts of the context that an interval job needs.
  const ctx = { db, changes, log: createLogger('silent'), metrics: createMetrics() } as Ctx
  return { ctx, db }
}

test('new positions of the audit chain and new deliveries wake their jobs at once', async () => {
  const { ctx, db } = await open()
  const counts = { audit_head: 0, webhook_cursor: 0 }
  for (const [table, { wakeOn = '' }] of [
    ['audit_head', fanOutEvents],
    ['webhook_cursor', dispatchWebhooks],
  ] as const) {
    const job = defineJob<never>({
      name: table,
      wakeOn,
      async run() {
        counts[table] += 1
      },
    })
    const started = startIntervalJob(ctx, job, ONE_HOUR_MS)
    onTestFinished(() => started.stop())
  }
  await expect.poll(() => counts).toEqual({ audit_head: 1, webhook_cursor: 1 })
  await sql`update audit_head set position = position`.execute(db)
  await expect.poll(() => counts).toEqual({ audit_head: 2, webhook_cursor: 1 })
  await sql`update webhook_cursor set position = position`.execute(db)
  await expect.poll(() => counts).toEqual({ audit_head: 2, webhook_cursor: 2 })
})

test('a change during a run leads to another run', async () => {
  const { ctx, db } = await open()
  let runs = 0
  const job = defineJob<never>({
    name: 'test',
    wakeOn: 'audit_head',
    async run() {
      runs += 1
      if (runs > 1) return
      await sql`update audit_head set position = position`.execute(db)
      await ctx.changes.waitUntilCurrent()
    },
  })
  const started = startIntervalJob(ctx, job, ONE_HOUR_MS)
  onTestFinished(() => started.stop())
  await expect.poll(() => runs).toBe(2)
})

test('a waiting job is stopped at once', async () => {
  const { ctx } = await open()
  let runs = 0
  const job = defineJob<never>({
    name: 'test',
    async run() {
      runs += 1
    },
  })
  const started = startIntervalJob(ctx, job, ONE_HOUR_MS)
  await expect.poll(() => runs).toBe(1)
  await started.stop()
})
