import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countEntries, type EntryFilter, listEntries } from '../../src/audit/search-store.ts'
import { deletePersonalData } from '../../src/audit/store.ts'
import type { Tables } from '../../src/db/tables.ts'
import { newId } from '../../src/lib/ids.ts'
import { openTestPool } from '../support/database.ts'
import { startService, type TestService } from '../support/service.ts'
import { runSql } from './log.ts'

const COUNT = 60_000
let service: TestService
let pool: pg.Pool
let db: Kysely<Tables>
const queries: { sql: string; parameters: unknown[] }[] = []
beforeAll(async () => {
  service = await startService()
  pool = openTestPool(service.connection.direct)
  db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log({ query: { sql, parameters } }) {
      queries.push({ sql, parameters: [...parameters] })
    },
  })
  await fill()
})
afterAll(async () => {
  await db.destroy()
  await service.close()
})

const ID_PREFIX = '00000000-0000-7000-8000-'

/** One entry per minute, of many users in many tenants. Each id contains the time of its entry. */
async function fill(): Promise<void> {
  const ms = '(extract(epoch from t) * 1000)::bigint'
  const hex = (number: string, digits: number) => `lpad(to_hex(${number}), ${digits}, '0')`
  await runSql(
    service.ctx,
    `insert into audit_entries (id, occurred_at, action, actor_kind, actor_id, client_id, user_id, tenant_id, request_id, details, personal)
     select (${hex(`${ms} >> 16`, 8)} || '-' || ${hex(`${ms} & 65535`, 4)} || '-7000-8000-' || ${hex('n', 12)})::uuid, t,
       case when n % 20000 = 7 then 'webhook.created' when n % 2 = 0 then 'session.started' else 'license.granted' end,
       'client', 'actor-' || (n % 5000), 'client-' || (n % 100), ('${ID_PREFIX}' || ${hex('n % 5000', 12)})::uuid,
       ('${ID_PREFIX}' || ${hex('n % 500', 12)})::uuid, 'request-' || n, '{}',
       jsonb_build_object('ipAddress', '10.0.0.' || (n % 500), 'email', 'somebody-' || (n % 5000) || '@people.test')
     from (select n, '2026-01-01'::timestamptz + n * interval '1 minute' as t from generate_series(1, ${COUNT}) n) as made`,
  )
  await runSql(service.ctx, 'analyze audit_entries')
}

interface Plan {
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
}

/** The number of blocks that the statements read. The table has twice as many as the tests allow. */
async function countBlocks(work: () => Promise<unknown>): Promise<number> {
  queries.length = 0
  await work()
  let blocks = 0
  for (const { sql, parameters } of [...queries]) {
    const { rows } = await pool.query(`explain (analyze, buffers, format json) ${sql}`, parameters)
    const plan = (rows[0] as { 'QUERY PLAN': { Plan: Plan }[] })['QUERY PLAN'][0]?.Plan
    blocks += (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
  }
  return blocks
}

const FILTERS: [string, EntryFilter][] = [
  ['nothing', {}],
  ['a rare action', { action: 'webhook.created' }],
  ['a rare family', { action: 'webhook' }],
  ['a frequent family', { action: 'session' }],
  ['a family without entries', { action: 'member' }],
  ['an actor', { actorId: 'actor-17' }],
  ['a user', { userId: `${ID_PREFIX}000000000011` }],
  ['a tenant', { tenantId: `${ID_PREFIX}000000000011` }],
  ['a client', { clientId: 'client-17' }],
  ['a request', { requestId: 'request-17' }],
  ['an address', { ipAddress: '10.0.0.17' }],
  ['an old day', { from: new Date('2026-01-05T00:00:00Z'), to: new Date('2026-01-06T00:00:00Z') }],
]

test.each(FILTERS)(
  'the cost of a page filtered by %s does not grow with the log, in either order',
  async (_, filter) => {
    for (const order of ['asc', 'desc'] as const) {
      expect(await countBlocks(() => listEntries(db, filter, { order, limit: 21 }))).toBeLessThan(800)
    }
    expect(await countBlocks(() => countEntries(db, filter, 101))).toBeLessThan(800)
  },
)

test('the cost of erasing a user does not grow with the log', async () => {
  expect(await countBlocks(() => deletePersonalData(db, newId(), ['somebody-17@people.test']))).toBeLessThan(800)
})
