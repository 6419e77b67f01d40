import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proofOf } from '../../src/audit/chain/link.ts'
import { pruneAuditLog } from '../../src/audit/chain/retention.ts'
import { extendChain, openKey } from '../../src/audit/chain/service.ts'
import { findHead } from '../../src/audit/chain/store.ts'
import { listEvents } from '../../src/audit/feed.ts'
import { listEntries } from '../../src/audit/search/store.ts'
import { firstIdAt, newId } from '../../src/lib/ids.ts'
import { listLedger } from '../../src/licensing/ledger/store.ts'
import { openTestPool } from '../support/database.ts'
import { rounds } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { openTouchedTables, type TouchedTables } from '../support/touched-tables.ts'
import { run, startUnwritten, verify, writeSome } from './log.ts'
import { bounds, maintain, order, whereIn } from './partitions.ts'

const DAY = 86_400_000

describe('partitions of the log', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startUnwritten({ frozenClock: true, config: { auditRetentionDays: 100 } })
  })
  afterAll(() => service?.close())

  /** As many whole months ahead of the clock the last partition begins. */
  const monthsAhead = async (): Promise<number> => {
    const last = (await bounds(service, 'audit_entries')).at(-1)
    const [begins, now] = [new Date(order(last?.lower)), service.ctx.now()]
    return (begins.getUTCFullYear() - now.getUTCFullYear()) * 12 + begins.getUTCMonth() - now.getUTCMonth()
  }

  test('are made ahead, once', async () => {
    expect(await monthsAhead()).toBe(1)
    await maintain(service)
    expect(await monthsAhead()).toBe(2)
    const made = await bounds(service, 'audit_entries')
    expect(made.map(({ upper }) => upper)).toEqual([...made.slice(1).map(({ lower }) => lower), undefined])
    expect((await bounds(service, 'audit_chain')).map(({ lower }) => lower)).toEqual([
      ...[undefined, '100000000', '200000000'],
    ])
    await maintain(service)
    expect(await bounds(service, 'audit_entries')).toEqual(made)
  })

  test('take what is written in their time', async () => {
    for (let month = 0; month < 4; month++) {
      await maintain(service)
      await writeSome(service.ctx, 3)
      service.advance(31 * DAY)
    }
    const names = Object.keys(await whereIn(service, 'audit_entries'))
    expect(names.length).toBeGreaterThanOrEqual(4)
    expect(await verify(service.ctx)).toMatchObject({ findings: [], entries: 12 })
  })

  test('have room for everything although nobody has made any for long', async () => {
    service.advance(200 * DAY)
    await writeSome(service.ctx, 3)
    const last = (await bounds(service, 'audit_entries')).at(-1)
    expect(await whereIn(service, 'audit_entries')).toMatchObject({ [`${last?.name}`]: 3 })
    await maintain(service)
    expect(await monthsAhead()).toBe(2)
    expect(await whereIn(service, 'audit_entries')).toMatchObject({ [`${last?.name}`]: 3 })
    await writeSome(service.ctx, 1)
    expect(await verify(service.ctx)).toMatchObject({ findings: [], entries: 16 })
  })

  test('are not made while somebody else needs the table, who is not kept waiting', async () => {
    service.advance(31 * DAY)
    const made = await bounds(service, 'audit_entries')
    await service.ctx.db.transaction().execute(async (tx) => {
      await sql`select from audit_entries limit 1`.execute(tx)
      await expect(maintain(service)).rejects.toMatchObject({ code: '55P03' })
    })
    expect(await bounds(service, 'audit_entries')).toEqual(made)
    await maintain(service)
    expect((await bounds(service, 'audit_entries')).length).toBe(made.length + 1)
  })

  test('are made while others write, who are not refused', async () => {
    let { entries } = await verify(service.ctx)
    for (const _ of rounds(10)) {
      entries += 20
      service.advance(31 * DAY)
      const writers = Array.from({ length: 4 }, () => writeSome(service.ctx, 5))
      await Promise.all([maintain(service), ...writers])
      expect(await monthsAhead()).toBe(2)
      expect(await verify(service.ctx)).toMatchObject({ findings: [], entries })
    }
  })

  test('go when retention has emptied them, and whatever is told late has a place all the same', async () => {
    const made = await bounds(service, 'audit_entries')
    await maintain(service)
    expect(await bounds(service, 'audit_entries')).toEqual(made)
    await pruneAuditLog.run(service.ctx, {})
    await writeSome(service.ctx, 1)
    await maintain(service)
    const left = await bounds(service, 'audit_entries')
    expect(left.length).toBeLessThan(made.length - 2)
    expect(left[0]).toMatchObject({ name: 'audit_entries_first', lower: undefined })
    expect(left.slice(1)).toEqual(made.slice(-left.length + 1))
    await run(
      service.ctx,
      `insert into audit_entries (id, occurred_at, action, actor_kind)
       values ('${firstIdAt(new Date('2020-01-01'))}', '2020-01-01', 'user.password_changed', 'system')`,
    )
    await writeSome(service.ctx, 1)
    expect(await whereIn(service, 'audit_entries')).toMatchObject({ audit_entries_first: 1 })
    expect((await verify(service.ctx)).findings).toEqual([])
  })
})

describe('of a long log and a ledger of many', () => {
  /** The links of the first month lie before the end of the first partition, all others behind it. */
  const START = 99_995_000
  const PER_MONTH = 5_000
  const tenantId = newId()
  let service: TestService
  let touched: TouchedTables
  beforeAll(async () => {
    service = await startUnwritten({ frozenClock: true })
    const { ctx } = service
    await run(ctx, `update audit_head set position = ${START}, anchor_position = ${START}`)
    for (let month = 0; month < 4; month++) {
      await maintain(service)
      await fillMonth()
      service.advance(31 * DAY)
    }
    const { sealed_key } = await findHead(ctx.db)
    if (!sealed_key) throw new Error('nothing is linked')
    const anchor_proof = proofOf(openKey(ctx, sealed_key), 'anchor', {
      position: START,
      hash: Buffer.alloc(0),
    })
    await ctx.db.updateTable('audit_head').set({ anchor_proof }).execute()
    await run(
      ctx,
      `insert into license_ledger (tenant_id, sequence, reason, subject, subject_id, application_id)
       select tenant, n, 'GRANTED', 'seat', gen_random_uuid(), '${newId()}'
       from generate_series(1, 100) as n, (select gen_random_uuid() as tenant from generate_series(1, 50)
         union all select '${tenantId}') as tenants`,
    )
    await run(ctx, 'analyze')
    touched = openTouchedTables(openTestPool(service.connection.direct))
  })
  afterAll(async () => {
    await touched?.db.destroy()
    await service?.close()
  })

  /** One entry in ten is of the tenant. */
  async function fillMonth(): Promise<void> {
    const { ctx } = service
    const now = ctx.now()
    await run(
      ctx,
      `insert into audit_entries (id, occurred_at, action, actor_kind, tenant_id)
       select (left('${firstIdAt(now)}', 24) || lpad(to_hex(n), 12, '0'))::uuid, '${now.toISOString()}', 'member.joined',
         'system', case when n % 10 = 0 then '${tenantId}' else gen_random_uuid() end
       from generate_series(1, ${PER_MONTH}) as n`,
    )
    await extendChain(ctx)
  }

  const touchedOf = async (table: string, work: () => Promise<unknown>) =>
    (await touched.by(work)).filter((name) => name.startsWith(table))

  test('the chain can be verified across partitions', async () => {
    expect(await verify(service.ctx)).toMatchObject({ findings: [], entries: 4 * PER_MONTH })
    expect(await whereIn(service, 'audit_chain')).toEqual({
      ...{ audit_chain_first: PER_MONTH - 1, audit_chain_100000000: 3 * PER_MONTH + 1 },
    })
  })

  test.each([
    ['the feed of the instance', undefined],
    ['the feed of a tenant', tenantId],
  ])('%s reads the partitions of its position alone', async (_, tenant) => {
    const read = (after: number) => () => listEvents(touched.db, { after, limit: 20, tenantId: tenant })
    expect(await touchedOf('audit_chain', read(START + 10))).toEqual(['audit_chain_first'])
    expect(await touchedOf('audit_chain', read(100_000_010))).toEqual(['audit_chain_100000000'])
    expect(await touchedOf('audit_entries', read(START + 10))).toEqual(['audit_entries_first'])
  })

  test('a page of the log of a tenant reads the partitions of its time alone', async () => {
    const page = (order: 'asc' | 'desc') =>
      touchedOf('audit_entries', () => listEntries(touched.db, { tenantId }, { order, limit: 20 }))
    expect(await page('asc')).toEqual(['audit_entries_first'])
    // Those ahead are looked at, and are empty.
    const made = (await bounds(service, 'audit_entries')).map(({ name }) => name)
    expect(await page('desc')).toEqual(made.slice(3))
  })

  test('the ledger of a tenant is read from one partition', async () => {
    const read = () => listLedger(touched.db, { tenantId, after: '50', limit: 5, order: 'desc' })
    expect(await touched.by(read)).toEqual([expect.stringMatching(/^license_ledger_\d\d$/)])
  })
})
