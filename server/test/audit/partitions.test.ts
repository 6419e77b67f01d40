import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { computeEndProof } from '../../src/audit/chain/link.ts'
import { pruneAuditLog } from '../../src/audit/chain/retention.ts'
import { extendChain, unsealChainKey } from '../../src/audit/chain/service.ts'
import { findHead } from '../../src/audit/chain/store.ts'
import { listEvents } from '../../src/audit/feed.ts'
import { listEntries } from '../../src/audit/search-store.ts'
import { firstIdAt, newId } from '../../src/lib/ids.ts'
import { listLedger } from '../../src/licensing/ledger/store.ts'
import { openTestPool } from '../support/database.ts'
import { rounds } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { openTouchedTables, type TouchedTables } from '../support/touched-tables.ts'
import { recordEntries, runSql, startWithEmptyLog, verifyLog } from './log.ts'
import { countRowsByPartition, listBounds, maintainPartitions, order } from './partitions.ts'

const DAY = 86_400_000

describe('partitions of the audit log', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startWithEmptyLog({ frozenClock: true, config: { auditRetentionDays: 100 } })
  })
  afterAll(() => service?.close())

  /** The number of months between now and the start of the last partition. */
  const monthsAhead = async (): Promise<number> => {
    const last = (await listBounds(service, 'audit_entries')).at(-1)
    const [start, now] = [new Date(order(last?.lower)), service.ctx.now()]
    return (start.getUTCFullYear() - now.getUTCFullYear()) * 12 + start.getUTCMonth() - now.getUTCMonth()
  }

  test('are created in advance, once', async () => {
    expect(await monthsAhead()).toBe(1)
    await maintainPartitions(service)
    expect(await monthsAhead()).toBe(2)
    const made = await listBounds(service, 'audit_entries')
    expect(made.map(({ upper }) => upper)).toEqual([...made.slice(1).map(({ lower }) => lower), undefined])
    expect((await listBounds(service, 'audit_chain')).map(({ lower }) => lower)).toEqual([
      undefined,
      '100000000',
      '200000000',
    ])
    await maintainPartitions(service)
    expect(await listBounds(service, 'audit_entries')).toEqual(made)
  })

  test('contain the entries of their month', async () => {
    for (let month = 0; month < 4; month++) {
      await maintainPartitions(service)
      await recordEntries(service.ctx, 3)
      service.advance(31 * DAY)
    }
    const names = Object.keys(await countRowsByPartition(service, 'audit_entries'))
    expect(names.length).toBeGreaterThanOrEqual(4)
    expect(await verifyLog(service.ctx)).toMatchObject({ findings: [], entries: 12 })
  })

  test('accept every entry even if none was created for a long time', async () => {
    service.advance(200 * DAY)
    await recordEntries(service.ctx, 3)
    const last = (await listBounds(service, 'audit_entries')).at(-1)
    expect(await countRowsByPartition(service, 'audit_entries')).toMatchObject({ [`${last?.name}`]: 3 })
    await maintainPartitions(service)
    expect(await monthsAhead()).toBe(2)
    expect(await countRowsByPartition(service, 'audit_entries')).toMatchObject({ [`${last?.name}`]: 3 })
    await recordEntries(service.ctx, 1)
    expect(await verifyLog(service.ctx)).toMatchObject({ findings: [], entries: 16 })
  })

  test('are not created while another transaction uses the table, and do not block it', async () => {
    service.advance(31 * DAY)
    const made = await listBounds(service, 'audit_entries')
    await service.ctx.db.transaction().execute(async (tx) => {
      await sql`select from audit_entries limit 1`.execute(tx)
      await expect(maintainPartitions(service)).rejects.toMatchObject({ code: '55P03' })
    })
    expect(await listBounds(service, 'audit_entries')).toEqual(made)
    await maintainPartitions(service)
    expect((await listBounds(service, 'audit_entries')).length).toBe(made.length + 1)
  })

  test('are created during concurrent writes without errors', async () => {
    let { entries } = await verifyLog(service.ctx)
    for (const _ of rounds(10)) {
      entries += 20
      service.advance(31 * DAY)
      const writers = Array.from({ length: 4 }, () => recordEntries(service.ctx, 5))
      await Promise.all([maintainPartitions(service), ...writers])
      expect(await monthsAhead()).toBe(2)
      expect(await verifyLog(service.ctx)).toMatchObject({ findings: [], entries })
    }
  })

  test('are dropped when retention has emptied them, and late entries are still accepted', async () => {
    const made = await listBounds(service, 'audit_entries')
    await maintainPartitions(service)
    expect(await listBounds(service, 'audit_entries')).toEqual(made)
    await pruneAuditLog.run(service.ctx, {})
    await recordEntries(service.ctx, 1)
    await maintainPartitions(service)
    const left = await listBounds(service, 'audit_entries')
    expect(left.length).toBeLessThan(made.length - 2)
    expect(left[0]).toMatchObject({ name: 'audit_entries_first', lower: undefined })
    expect(left.slice(1)).toEqual(made.slice(-left.length + 1))
    await runSql(
      service.ctx,
      `insert into audit_entries (id, occurred_at, action, actor_kind)
       values ('${firstIdAt(new Date('2020-01-01'))}', '2020-01-01', 'user.password_changed', 'system')`,
    )
    await recordEntries(service.ctx, 1)
    expect(await countRowsByPartition(service, 'audit_entries')).toMatchObject({ audit_entries_first: 1 })
    expect((await verifyLog(service.ctx)).findings).toEqual([])
  })
})

describe('with a long audit log and a large ledger', () => {
  /** The links of the first month are in the first partition, all others in the second. */
  const START = 99_995_000
  const PER_MONTH = 5_000
  const tenantId = newId()
  let service: TestService
  let touched: TouchedTables
  beforeAll(async () => {
    service = await startWithEmptyLog({ frozenClock: true })
    const { ctx } = service
    await runSql(ctx, `update audit_head set position = ${START}, anchor_position = ${START}`)
    for (let month = 0; month < 4; month++) {
      await maintainPartitions(service)
      await fillMonth()
      service.advance(31 * DAY)
    }
    const { sealed_key } = await findHead(ctx.db)
    if (!sealed_key) throw new Error('no chain key')
    const anchor_proof = computeEndProof(unsealChainKey(ctx, sealed_key), 'anchor', {
      position: START,
      hash: Buffer.alloc(0),
    })
    await ctx.db.updateTable('audit_head').set({ anchor_proof }).execute()
    await runSql(
      ctx,
      `insert into license_ledger (tenant_id, sequence, reason, subject, subject_id, application_id)
       select tenant, n, 'GRANTED', 'seat', gen_random_uuid(), '${newId()}'
       from generate_series(1, 100) as n, (select gen_random_uuid() as tenant from generate_series(1, 50)
         union all select '${tenantId}') as tenants`,
    )
    await runSql(ctx, 'analyze')
    touched = openTouchedTables(openTestPool(service.connection.direct))
  })
  afterAll(async () => {
    await touched?.db.destroy()
    await service?.close()
  })

  /** Every tenth entry belongs to the tenant. */
  async function fillMonth(): Promise<void> {
    const { ctx } = service
    const now = ctx.now()
    await runSql(
      ctx,
      `insert into audit_entries (id, occurred_at, action, actor_kind, tenant_id)
       select (left('${firstIdAt(now)}', 24) || lpad(to_hex(n), 12, '0'))::uuid, '${now.toISOString()}', 'member.joined',
         'system', case when n % 10 = 0 then '${tenantId}' else gen_random_uuid() end
       from generate_series(1, ${PER_MONTH}) as n`,
    )
    await extendChain(ctx)
  }

  const touchedOf = async (table: string, work: () => Promise<unknown>) =>
    (await touched.listFor(work)).filter((name) => name.startsWith(table))

  test('the chain can be verified across partitions', async () => {
    expect(await verifyLog(service.ctx)).toMatchObject({ findings: [], entries: 4 * PER_MONTH })
    expect(await countRowsByPartition(service, 'audit_chain')).toEqual({
      audit_chain_first: PER_MONTH - 1,
      audit_chain_100000000: 3 * PER_MONTH + 1,
    })
  })

  test.each([
    ['the feed of the instance', undefined],
    ['the feed of a tenant', tenantId],
  ])('%s reads only the partitions of its position', async (_, tenant) => {
    const read = (after: number) => () => listEvents(touched.db, { after, limit: 20, tenantId: tenant })
    expect(await touchedOf('audit_chain', read(START + 10))).toEqual(['audit_chain_first'])
    expect(await touchedOf('audit_chain', read(100_000_010))).toEqual(['audit_chain_100000000'])
    expect(await touchedOf('audit_entries', read(START + 10))).toEqual(['audit_entries_first'])
  })

  test('a page of the log of a tenant reads only the partitions of its time', async () => {
    const page = (order: 'asc' | 'desc') =>
      touchedOf('audit_entries', () => listEntries(touched.db, { tenantId }, { order, limit: 20 }))
    expect(await page('asc')).toEqual(['audit_entries_first'])
    // Future partitions are read too, and are empty.
    const made = (await listBounds(service, 'audit_entries')).map(({ name }) => name)
    expect(await page('desc')).toEqual(made.slice(3))
  })

  test('the ledger of a tenant is read from one partition', async () => {
    const read = () => listLedger(touched.db, { tenantId, after: '50', limit: 5, order: 'desc' })
    expect(await touched.listFor(read)).toEqual([expect.stringMatching(/^license_ledger_\d\d$/)])
  })
})
