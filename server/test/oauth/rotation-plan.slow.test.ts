import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/open.ts'
import { rotateRefreshTokens } from '../../src/oauth/grants/store.ts'
import { asSuperuser, startWithManyUsers } from '../support/many-users.ts'
import type { TestService } from '../support/service.ts'
import { obtainTokens, signIn } from '../support/world.ts'

/** Enough rows that the planner would prefer custom plans. */
const ROW_COUNT = 10_000
const REQUEST_COUNT = 100

let service: TestService
beforeAll(async () => {
  service = await startWithManyUsers(ROW_COUNT)
  await obtainTokens(service.url, await signIn(service.url, 'mia@acme.test'))
  await asSuperuser(service, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query(
      `insert into grants select (jsonb_populate_record(one, jsonb_build_object(
         'id', gen_random_uuid(), 'user_id', users.id, 'tenant_id', null, 'code_hash', '\\x' || md5(users.email)))).*
       from grants as one, users
       where one.id = (select id from grants limit 1) and users.password_hash = 'x'`,
    )
    await client.query(
      `insert into refresh_tokens (hash, grant_id, created_at, expires_at)
       select sha256(id::text::bytea), id, now(), now() + interval '1 day' from grants`,
    )
    for (const table of ['grants', 'refresh_tokens']) await client.query(`vacuum analyze ${table}`)
  })
})
afterAll(() => service?.close())

/** Rotates one token, which may not exist. */
const rotate = (db: Db, { id, hash }: { id: string; hash: Buffer }) =>
  rotateRefreshTokens(
    db,
    [
      {
        hash,
        grantId: id,
        tenantId: null,
        jkt: undefined,
        now: new Date(),
        successor: { hash: randomBytes(32), expiresAt: new Date(Date.now() + 60_000) },
      },
    ],
    { process: undefined, skipLocked: true },
  )

test('the rotation statement uses one generic plan', async () => {
  const plans = await service.ctx.db.transaction().execute(async (tx) => {
    for (let i = 0; i < REQUEST_COUNT; i++)
      expect(await rotate(tx, { id: randomUUID(), hash: randomBytes(32) })).toEqual([false])
    const { rows } = await sql<{ generic: number; custom: number }>`
      select generic_plans::int as generic, custom_plans::int as custom
      from pg_prepared_statements where statement like '%update refresh_tokens%'`.execute(tx)
    return rows
  })
  expect(plans).toHaveLength(1)
  expect(plans[0]?.custom).toBeLessThan(10)
  expect(plans[0]?.generic).toBeGreaterThan(REQUEST_COUNT / 2)
})

/** The number of index scans by token hash in the flushed statistics. */
async function countByHash(): Promise<number> {
  const { rows } = await sql<{ scans: number }>`
    select idx_scan::int as scans from pg_stat_user_indexes
    where indexrelname = 'refresh_tokens_pkey'`.execute(service.ctx.db)
  return rows[0]?.scans ?? Number.NaN
}

test('the rotation finds a token by its hash, not among all tokens of its grant', async () => {
  const before = await countByHash()
  await service.ctx.db.connection().execute(async (db) => {
    const { rows } = await sql<{ id: string; hash: Buffer }>`
      select grants.id, hash from grants join refresh_tokens on grant_id = grants.id join users on users.id = user_id
      where grants.tenant_id is null and not users.disabled order by hash limit 30`.execute(db)
    expect(rows).toHaveLength(30)
    for (const row of rows) expect(await rotate(db, row)).toEqual([true])
    await sql`select pg_stat_force_next_flush()`.execute(db)
  })
  expect((await countByHash()) - before).toBeGreaterThanOrEqual(30)
})
