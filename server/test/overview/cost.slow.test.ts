import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callAsOps } from '../licensing/licensed-tenant.ts'
import { asSuperuser, startWithManyUsers } from '../support/many-users.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'

// The cost of the overview is measured in database pages and compared with the size of the large tables.

const USERS = 100_000
const SESSIONS = 60_000
const ENTRIES = 120_000

let service: TestService
let watch: StatementWatch

const LARGE_TABLES = ['users', 'sessions', 'audit_entries'] as const

beforeAll(async () => {
  service = await startWithManyUsers(USERS)
  await asSuperuser(service, fill)
  watch = await watchStatements(service)
})
afterAll(async () => {
  await watch.close()
  await service.close()
})

/** Many sessions, and an audit log of which the last 14 days are a small part. */
async function fill(client: pg.Client): Promise<void> {
  await client.query('set session_replication_role = replica')
  await client.query('set synchronous_commit = on')
  await client.query(
    `insert into sessions (id, user_id, secret_hash, secret_since, auth_time, amr, user_agent, ip_address, network,
       created_at, last_active_at, cookie_used_at)
     select gen_random_uuid(), id, decode(md5(id::text), 'hex'), now(), now(), '{pwd}', repeat('agent ', 20),
       '10.0.0.1', '10.0.0.0', now(), now(), now()
     from users where password_hash = 'x' limit $1`,
    [SESSIONS],
  )
  const ms = '(extract(epoch from t) * 1000)::bigint'
  const hex = (number: string, digits: number) => `lpad(to_hex(${number}), ${digits}, '0')`
  await client.query(
    `insert into audit_entries (id, occurred_at, action, actor_kind, details, personal)
     select (${hex(`${ms} >> 16`, 8)} || '-' || ${hex(`${ms} & 65535`, 4)} || '-7000-8000-' || ${hex('n', 12)})::uuid, t,
       case when n % 3 = 0 then 'session.started' when n % 50 = 1 then 'session.refused' else 'license.granted' end,
       'system', '{}', '{"ipAddress": "10.0.0.1"}'
     from (select n, now() - n * interval '10 minutes' as t from generate_series(1, $1::bigint) as n) as made`,
    [ENTRIES],
  )
  for (const table of LARGE_TABLES) await client.query(`vacuum analyze ${table}`)
}

const getOverview = () => callAsOps(service, 'GET', '/api/admin/overview')

/** The number of pages of a table and its partitions. */
const sizeOf = (table: string): Promise<number> =>
  asSuperuser(service, async (client) => {
    const { rows } = await client.query(
      `select sum(greatest(relpages, 0)) as pages from pg_class where oid = $1::regclass
       or oid in (select inhrelid from pg_inherits where inhparent = $1::regclass)`,
      [table],
    )
    return Number(rows[0]?.pages)
  })

test.runIf(FULL)('the overview reads only a small part of the large tables', async () => {
  const { status, body } = await getOverview()
  expect(status).toBe(200)
  const { users, sessions, signIns } = body as {
    users: { total: number; disabled: number }
    sessions: number
    signIns: { succeeded: number; failed: number }[]
  }
  expect(users.total).toBeGreaterThan(USERS)
  expect(users.disabled).toBe(Math.floor(USERS / 997))
  // Above the exact count, the overview has the estimate of the planner.
  expect(Math.abs(sessions / SESSIONS - 1)).toBeLessThan(0.05)
  // A third of the 144 entries per day are sign-ins.
  for (const { succeeded } of signIns.slice(0, -1)) expect(succeeded).toBe(48)
  const large = await Promise.all(LARGE_TABLES.map(sizeOf))
  const pages = await watch.pages(getOverview)
  expect(Math.min(...large)).toBeGreaterThan(1_000)
  expect(pages).toBeLessThan(2_000)
  expect(pages).toBeLessThan(large.reduce((sum, size) => sum + size, 0) / 3)
})
