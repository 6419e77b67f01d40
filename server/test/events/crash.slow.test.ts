import type pg from 'pg'
import { expect, test } from 'vitest'
import { call } from '../account/people.ts'
import { openTestPool } from '../support/database.ts'
import { freePort, run } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { FULL } from '../support/rounds.ts'
import { layOut } from '../support/two-processes.ts'
import { signIn } from '../support/world.ts'
import { DECLARATION, firstArrivals, hookUp, readAll } from './instance.ts'
import { namesIn } from './world.ts'

// Nothing that was acknowledged is lost, whenever the service is killed.

/** So many changes are made, and so many are acknowledged before each kill. */
const CHANGES = FULL ? 500 : 150
const KILLS = FULL ? [60, 120] : [60]
const HANDS = 10

/** Where what did not arrive is waiting, and for what. */
async function describeLanes(db: pg.Pool): Promise<string> {
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
  'after kill -9 in the midst of changes every acknowledged one is in the log, in the feed and at the receiver',
  async () => {
    const { database, env } = await layOut(DECLARATION, { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' })
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
      await hookUp(url, receiver.url)
      receiver.be({ delayMs: 5 })
      const { rows: tenants } = await db.query<{ id: string }>('select id from tenants order by id')
      const acknowledged: string[] = []
      let begun = 0
      const work = async (hand: number) => {
        for (let number = begun++; number < CHANGES; number = begun++) {
          const { id } = tenants[(number + hand) % tenants.length] ?? { id: '' }
          const name = `Name ${number}`
          const change = { method: 'PATCH', headers: { cookie, origin: url }, body: { name } }
          try {
            if ((await call(`${url}/api/tenants/${id}`, change)).status === 200) acknowledged.push(name)
          } catch {
            return
          }
        }
      }
      /** Kills the service once so many more changes were acknowledged. */
      const killAfter = async (many: number) => {
        const goal = acknowledged.length + many
        await expect
          .poll(() => acknowledged.length, { timeout: 60_000, interval: 5 })
          .toBeGreaterThanOrEqual(goal)
        program.child.kill('SIGKILL')
        await program.exited
      }
      for (const many of KILLS) {
        const hands = Array.from({ length: HANDS }, (_, hand) => work(hand))
        await killAfter(many)
        await Promise.all(hands)
        program = await serve()
      }
      await Promise.all(Array.from({ length: HANDS }, (_, hand) => work(hand)))
      expect(begun).toBeGreaterThanOrEqual(CHANGES)
      expect(acknowledged.length).toBeGreaterThan(CHANGES - KILLS.length * HANDS - 1)

      const { rows } = await db.query<{ name: string }>(
        `select details #>> '{after,name}' as name from audit_entries where action = 'tenant.changed'`,
      )
      const logged = rows.map(({ name }) => name)
      expect(acknowledged.filter((name) => !logged.includes(name))).toEqual([])

      await expect
        .poll(async () => (await readAll(url, 'tenant.changed')).length, { interval: 500 })
        .toBe(logged.length)
      const feed = await readAll(url, 'tenant.changed')
      expect(new Set(feed.map(({ id }) => id)).size).toBe(feed.length)
      expect(namesIn(feed).sort()).toEqual([...logged].sort())

      const arrived = () => new Set(receiver.accepted().map(({ id }) => id)).size
      await expect
        .poll(arrived, { timeout: 90_000, interval: 200 })
        .toBe(feed.length)
        .catch(async (error) => {
          throw new Error(
            `some are still waiting: ${await describeLanes(db)}\n${program.output().slice(-2_000)}`,
            {
              cause: error,
            },
          )
        })
      expect(new Set(receiver.accepted().map(({ id }) => id))).toEqual(new Set(feed.map(({ id }) => id)))
      // Whatever came twice came under the same id, and as the same; and what came first came in order.
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
  300_000,
)
