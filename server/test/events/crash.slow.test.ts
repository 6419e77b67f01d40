import type pg from 'pg'
import { expect, test } from 'vitest'
import { call } from '../account/people.ts'
import { openTestPool } from '../support/database.ts'
import { freePort, run } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { FULL } from '../support/rounds.ts'
import { prepareDatabase } from '../support/two-processes.ts'
import { signIn } from '../support/world.ts'
import { createInstanceHook, DECLARATION, firstArrivals, readFeed } from './instance.ts'
import { tenantNamesIn } from './world.ts'

// No acknowledged change is lost when the service is killed.

/** The number of changes, and the number of acknowledged changes before each kill. */
const CHANGES = FULL ? 500 : 150
const KILLS = FULL ? [60, 120] : [60]
const CLIENTS = 10

/** The state of all partitions, for the error message. */
async function describePartitions(db: pg.Pool): Promise<string> {
  const { rows } = await db.query(`
    select lane, due_at, locked_until, now(), waiting.*
    from webhook_lanes left join lateral (
      select position, attempts, last_status, last_error from webhook_deliveries
      where webhook_id = webhook_lanes.webhook_id and lane = webhook_lanes.lane and status = 'PENDING'
      order by position limit 1
    ) as waiting on true
  `)
  return JSON.stringify(rows)
}

test.runIf(FULL)(
  'after kill -9 during changes every acknowledged change is in the audit log, in the feed and at the receiver',
  async () => {
    const { database, env } = await prepareDatabase(DECLARATION, { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' })
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const db = openTestPool({ ...database.pooled, max: 1 })
    const receiver = await startReceiver()
    const serve = async () => {
      const program = run(['serve'], { env: { ...env, PORT: port, BASE_URL: url } })
      await program.prints('"msg":"ready"', 60_000)
      return program
    }
    let program = await serve()
    try {
      const cookie = await signIn(url, 'owner@events.test')
      await createInstanceHook(url, receiver.url)
      receiver.setBehavior({ delayMs: 5 })
      const { rows: tenants } = await db.query<{ id: string }>('select id from tenants order by id')
      const acknowledged: string[] = []
      let started = 0
      const work = async (client: number) => {
        for (let number = started++; number < CHANGES; number = started++) {
          const { id } = tenants[(number + client) % tenants.length] ?? { id: '' }
          const name = `Name ${number}`
          const change = { method: 'PATCH', headers: { cookie, origin: url }, body: { name } }
          try {
            if ((await call(`${url}/api/tenants/${id}`, change)).status === 200) acknowledged.push(name)
          } catch {
            return
          }
        }
      }
      /** Kills the service after this many more acknowledged changes. */
      const killAfter = async (count: number) => {
        const goal = acknowledged.length + count
        await expect.poll(() => acknowledged.length, { timeout: 60_000, interval: 5 }).toBeGreaterThanOrEqual(goal)
        program.child.kill('SIGKILL')
        await program.exited
      }
      for (const count of KILLS) {
        const clients = Array.from({ length: CLIENTS }, (_, client) => work(client))
        await killAfter(count)
        await Promise.all(clients)
        program = await serve()
      }
      await Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(client)))
      expect(started).toBeGreaterThanOrEqual(CHANGES)
      expect(acknowledged.length).toBeGreaterThan(CHANGES - KILLS.length * CLIENTS - 1)

      const { rows } = await db.query<{ name: string }>(
        `select details #>> '{after,name}' as name from audit_entries where action = 'tenant.changed'`,
      )
      const logged = rows.map(({ name }) => name)
      expect(acknowledged.filter((name) => !logged.includes(name))).toEqual([])

      await expect
        .poll(async () => (await readFeed(url, 'tenant.changed')).length, { interval: 500 })
        .toBe(logged.length)
      const feed = await readFeed(url, 'tenant.changed')
      expect(new Set(feed.map(({ id }) => id)).size).toBe(feed.length)
      expect(tenantNamesIn(feed).sort()).toEqual([...logged].sort())

      const arrived = () => new Set(receiver.accepted().map(({ id }) => id)).size
      await expect
        .poll(arrived, { timeout: 90_000, interval: 200 })
        .toBe(feed.length)
        .catch(async (error) => {
          throw new Error(
            `some are still waiting: ${await describePartitions(db)}\n${program.output().slice(-2_000)}`,
            {
              cause: error,
            },
          )
        })
      expect(new Set(receiver.accepted().map(({ id }) => id))).toEqual(new Set(feed.map(({ id }) => id)))
      // A repeated delivery is identical, and first deliveries are in order.
      for (const event of receiver.accepted()) expect(feed).toContainEqual(event)
      for (const positions of firstArrivals(receiver.accepted()).values()) {
        expect(positions).toEqual([...positions].sort((a, b) => a - b))
      }
    } finally {
      program.child.kill('SIGTERM')
      await program.exited
      await receiver.close()
      await db.end()
      await database.close()
    }
  },
)
