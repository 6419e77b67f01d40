import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { seedDemoWorld } from '../../src/cli/demo-world.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { countRows, estimateRows } from '../../src/db/row-counts.ts'
import { verifyLedger } from '../../src/licensing/verify-ledger.ts'
import { run, verify, writeSome } from '../audit/log.ts'
import { maintain, whereIn } from '../audit/partitions.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { startService, type TestService } from '../support/service.ts'
import { ask, behindWall, newWalled, type Walled } from '../tenants/walled-world.ts'

const DIVIDED = ['audit_entries', 'audit_chain', 'license_ledger']

describe('a database of the release before', () => {
  let service: TestService
  let before: Walled
  let counts: Record<string, number>
  let old: TestDatabase
  beforeAll(async () => {
    old = await createDatabase('template0')
    await migrate(
      old.direct,
      readMigrations().filter(({ version }) => version < 21),
    )
    service = await startService({ template: old.name })
    await seedDemoWorld(service.ctx)
    before = await newWalled(service)
    counts = await countRows(service.ctx.db)
    await migrate(service.connection.direct)
  })
  afterAll(async () => {
    await service?.close()
    await old?.close()
  })

  test('loses nothing of what is written while it is migrated', async () => {
    const busy = await startService({ template: old.name })
    onTestFinished(busy.close)
    const { ctx, connection } = busy
    const before = (await countRows(ctx.db)).audit_entries ?? 0
    let isOver = false
    const write = async () => {
      let written = 0
      for (; !isOver || written < 30; written++) await writeSome(ctx, 1)
      return written
    }
    const migration = migrate(connection.direct).finally(() => {
      isOver = true
    })
    const [applied, ...written] = await Promise.all([migration, write(), write(), write()])
    expect(applied.length).toBeGreaterThan(0)
    const all = before + written.reduce((sum, many) => sum + many, 0)
    expect((await countRows(ctx.db)).audit_entries).toBe(all)
    expect(await verify(ctx)).toMatchObject({ findings: [], entries: all, waiting: 0 })
  })

  test('keeps every row, and its log and its ledger can be verified', async () => {
    const { schema_migrations: _, ...rows } = await countRows(service.ctx.db)
    expect({ ...rows, schema_migrations: 20 }).toEqual(counts)
    for (const table of DIVIDED) expect(counts[table], table).toBeGreaterThan(0)
    expect(await verify(service.ctx)).toMatchObject({ findings: [], entries: counts.audit_chain })
    expect(await verifyLedger(service.ctx.db)).toEqual([])
    expect(Object.keys(await whereIn(service, 'audit_entries'))).toEqual(['audit_entries_first'])
    expect(Object.keys(await whereIn(service, 'audit_chain'))).toEqual(['audit_chain_first'])
  })

  test('is written to as before, by a service that has run all the time', async () => {
    await newWalled(service)
    expect(await verify(service.ctx)).toMatchObject({ findings: [], waiting: 0 })
    expect(await verifyLedger(service.ctx.db)).toEqual([])
    const ledger = await whereIn(service, 'license_ledger')
    for (const name of Object.keys(ledger)) expect(name).toMatch(/^license_ledger_\d\d$/)
    await maintain(service)
    expect(await verify(service.ctx)).toMatchObject({ findings: [] })
    await run(service.ctx, 'analyze')
    const { audit_entries } = await countRows(service.ctx.db)
    expect((await estimateRows(service.ctx.db)).audit_entries).toBe(audit_entries)
  })

  test('forgets who somebody was, in whichever partition that stands', async () => {
    const text = `update audit_entries set personal = '{}' where user_id = $1 returning id`
    expect((await ask(service.ctx.db, text, [before.owner.id])).length).toBeGreaterThan(0)
  })

  test('keeps tenants apart and what is told unchanged, also for whoever names a partition', async () => {
    const { ctx } = service
    const partitions = await ask<{ name: string; state: object }>(
      ctx.db,
      `select relname as name, json_build_array(relrowsecurity, relforcerowsecurity, (
       select json_agg(json_build_array(polname, polcmd, pg_get_expr(polqual, polrelid)))
       from pg_policy where polrelid = pg_class.oid)) as state
     from pg_class where relkind in ('r', 'p') and (relispartition or relname = any($1)) order by relname`,
      [DIVIDED],
    )
    expect(partitions.length).toBeGreaterThan(3 + 3 + 16)
    const [{ state } = { state: {} }] = partitions.filter(({ name }) => name === 'license_ledger')
    for (const partition of partitions) expect(partition).toEqual({ ...partition, state })
    for (const { name } of partitions) {
      const tenants = (db: Parameters<typeof ask>[0]) =>
        ask<{ tenant_id: string }>(db, `select distinct tenant_id from ${name} where tenant_id is not null`)
      const seen = await behindWall(ctx, before, tenants)
      for (const { tenant_id } of seen) expect(tenant_id).toBe(before.company.id)
      await expect(run(ctx, `truncate ${name}`), name).rejects.toMatchObject({ code: '23514' })
      if ((await tenants(ctx.db)).length === 0) continue
      await expect(run(ctx, `delete from ${name}`), name).rejects.toMatchObject({ code: '23514' })
      const update = run(ctx, `update ${name} set tenant_id = null`)
      await expect(update, name).rejects.toMatchObject({ code: '23514' })
    }
  })

  test('is migrated anew if that and somebody at work wait for each other', async () => {
    const busy = await createDatabase(old.name)
    onTestFinished(busy.close)
    const owner = new pg.Client({ host: inject('socketDir'), user: 'postgres', database: busy.name })
    await owner.connect()
    onTestFinished(() => owner.end())
    // Who looks first for a circle gives way: the migration, after these seconds.
    await owner.query(`alter database ${busy.name} set deadlock_timeout = '3s'`)
    await owner.query("set deadlock_timeout = '1min'")
    await owner.query('begin')
    await owner.query('lock table license_ledger in row exclusive mode')
    const migration = migrate(busy.direct)
    await expect
      .poll(async () => {
        const { rows } = await owner.query(
          "select from pg_locks where relation = 'license_ledger'::regclass and not granted",
        )
        return rows.length
      })
      .toBe(1)
    await owner.query('lock table audit_entries in row exclusive mode')
    await owner.query('commit')
    expect((await migration).map(({ version }) => version)).toContain(21)
  })
})
