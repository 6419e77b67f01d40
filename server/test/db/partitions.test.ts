import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { seedDemoData } from '../../src/cli/demo-data.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { countRows, estimateRows } from '../../src/db/row-counts.ts'
import { verifyLedger } from '../../src/licensing/verify-ledger.ts'
import { recordEntries, runSql as runAsOwner, verifyLog } from '../audit/log.ts'
import { countRowsByPartition, maintainPartitions } from '../audit/partitions.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { startService, type TestService } from '../support/service.ts'
import { createScopedTenant, inTenantScope, runSql, type ScopedTenant } from '../tenants/scoped-tenant.ts'

const PARTITIONED = ['audit_entries', 'audit_chain', 'license_ledger']

describe('a database of a release without partitions', () => {
  let service: TestService
  let before: ScopedTenant
  let counts: Record<string, number>
  let old: TestDatabase
  beforeAll(async () => {
    old = await createDatabase('template0')
    // Without the migration that partitions the tables, but with later ones, which the program depends on.
    await migrate(
      old.direct,
      readMigrations().filter(({ version }) => version !== 21),
    )
    service = await startService({ template: old.name })
    await seedDemoData(service.ctx)
    before = await createScopedTenant(service)
    counts = await countRows(service.ctx.db)
    await migrate(service.connection.direct)
  })
  afterAll(async () => {
    await service?.close()
    await old?.close()
  })

  test('keeps everything that is written during the migration', async () => {
    const busy = await startService({ template: old.name })
    onTestFinished(busy.close)
    const { ctx, connection } = busy
    const before = (await countRows(ctx.db)).audit_entries ?? 0
    let isMigrated = false
    const write = async () => {
      let written = 0
      for (; !isMigrated || written < 30; written++) await recordEntries(ctx, 1)
      return written
    }
    const migration = migrate(connection.direct).finally(() => {
      isMigrated = true
    })
    const [applied, ...written] = await Promise.all([migration, write(), write(), write()])
    expect(applied.length).toBeGreaterThan(0)
    const total = before + written.reduce((sum, count) => sum + count, 0)
    expect((await countRows(ctx.db)).audit_entries).toBe(total)
    expect(await verifyLog(ctx)).toMatchObject({ findings: [], entries: total, waiting: 0 })
  })

  test('keeps every row, and its audit log and ledger can be verified', async () => {
    const { schema_migrations: _, ...rows } = await countRows(service.ctx.db)
    expect({ ...rows, schema_migrations: readMigrations().length - 1 }).toEqual(counts)
    for (const table of PARTITIONED) expect(counts[table], table).toBeGreaterThan(0)
    expect(await verifyLog(service.ctx)).toMatchObject({ findings: [], entries: counts.audit_chain })
    expect(await verifyLedger(service.ctx.db)).toEqual([])
    expect(Object.keys(await countRowsByPartition(service, 'audit_entries'))).toEqual(['audit_entries_first'])
    expect(Object.keys(await countRowsByPartition(service, 'audit_chain'))).toEqual(['audit_chain_first'])
  })

  test('accepts writes of a service that has been running during the migration', async () => {
    await createScopedTenant(service)
    expect(await verifyLog(service.ctx)).toMatchObject({ findings: [], waiting: 0 })
    expect(await verifyLedger(service.ctx.db)).toEqual([])
    const ledger = await countRowsByPartition(service, 'license_ledger')
    for (const name of Object.keys(ledger)) expect(name).toMatch(/^license_ledger_\d\d$/)
    await maintainPartitions(service)
    expect(await verifyLog(service.ctx)).toMatchObject({ findings: [] })
    await runAsOwner(service.ctx, 'analyze')
    const { audit_entries } = await countRows(service.ctx.db)
    expect((await estimateRows(service.ctx.db)).audit_entries).toBe(audit_entries)
  })

  test('erases personal data in every partition', async () => {
    const text = `update audit_entries set personal = '{}' where user_id = $1 returning id`
    expect((await runSql(service.ctx.db, text, [before.owner.id])).length).toBeGreaterThan(0)
  })

  test('applies row-level security and immutability to direct access to a partition', async () => {
    const { ctx } = service
    const partitions = await runSql<{ name: string; state: object }>(
      ctx.db,
      `select relname as name, json_build_array(relrowsecurity, relforcerowsecurity, (
       select json_agg(json_build_array(polname, polcmd, pg_get_expr(polqual, polrelid)))
       from pg_policy where polrelid = pg_class.oid)) as state
     from pg_class where relkind in ('r', 'p') and (relispartition or relname = any($1)) order by relname`,
      [PARTITIONED],
    )
    expect(partitions.length).toBeGreaterThan(3 + 3 + 16)
    const [{ state } = { state: {} }] = partitions.filter(({ name }) => name === 'license_ledger')
    for (const partition of partitions) expect(partition).toEqual({ ...partition, state })
    for (const { name } of partitions) {
      const tenants = (db: Parameters<typeof runSql>[0]) =>
        runSql<{ tenant_id: string }>(db, `select distinct tenant_id from ${name} where tenant_id is not null`)
      const visible = await inTenantScope(ctx, before, tenants)
      for (const { tenant_id } of visible) expect(tenant_id).toBe(before.company.id)
      await expect(runAsOwner(ctx, `truncate ${name}`), name).rejects.toMatchObject({ code: '23514' })
      if ((await tenants(ctx.db)).length === 0) continue
      await expect(runAsOwner(ctx, `delete from ${name}`), name).rejects.toMatchObject({ code: '23514' })
      const update = runAsOwner(ctx, `update ${name} set tenant_id = null`)
      await expect(update, name).rejects.toMatchObject({ code: '23514' })
    }
  })

  test('is migrated again after a deadlock with a running transaction', async () => {
    const busy = await createDatabase(old.name)
    onTestFinished(busy.close)
    const owner = new pg.Client({ host: inject('socketDir'), user: 'postgres', database: busy.name })
    await owner.connect()
    onTestFinished(() => owner.end())
    // The session with the shorter deadlock_timeout is rolled back: the migration.
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
