import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { logAuditHead } from '../../src/audit/chain/head.ts'
import { pruneAuditLog } from '../../src/audit/chain/retention.ts'
import { extendChain } from '../../src/audit/chain/service.ts'
import { listEvents } from '../../src/audit/feed.ts'
import { loadConfig, readConfig } from '../../src/config.ts'
import { newId } from '../../src/lib/ids.ts'
import type { TestService } from '../support/service.ts'
import { listLinks, recordEntries, runSql, startWithEmptyLog, tamper, verifyLog } from './log.ts'

const DAY = 86_400_000
let service: TestService
beforeAll(async () => {
  service = await startWithEmptyLog({ config: { auditRetentionDays: 30 } })
})
afterAll(() => service.close())

const prune = (ctx = service.ctx) => pruneAuditLog.run(ctx, {})

test('the audit log is kept forever by default', () => {
  expect(loadConfig('demo', {}).auditRetentionDays).toBe(0)
  expect(loadConfig('demo', { AUDIT_RETENTION_DAYS: '365' }).auditRetentionDays).toBe(365)
  expect(readConfig('demo', { AUDIT_RETENTION_DAYS: '-1' }).problems).toEqual([
    expect.stringContaining('AUDIT_RETENTION_DAYS'),
  ])
})

test('old entries are pruned from the beginning, and the rest can still be verified and read', async () => {
  const { ctx } = service
  await recordEntries(ctx, 6)
  const first = (await verifyLog(ctx)).head
  await prune()
  expect((await listLinks(ctx)).length).toBe(6)
  service.advance(20 * DAY)
  await recordEntries(ctx, 4)
  const second = (await verifyLog(ctx)).head
  service.advance(11 * DAY)
  await prune({ ...ctx, config: { ...ctx.config, auditRetentionDays: 0 } })
  expect((await listLinks(ctx)).length).toBe(10)

  const [, , , , , last] = await listLinks(ctx)
  await prune()
  await extendChain(ctx)
  const left = await listLinks(ctx)
  expect(left.map(({ position }) => Number(position))).toEqual([7, 8, 9, 10, 11])
  expect(left.at(-1)?.action).toBe('audit.pruned')
  const [pruned] = await runSql(ctx, "select * from audit_entries where action = 'audit.pruned'")
  expect(pruned).toMatchObject({
    actor_kind: 'system',
    user_id: null,
    tenant_id: null,
    details: { count: 6, until: last?.occurred_at.toISOString() },
  })
  const [{ count } = {}] = await runSql(ctx, 'select count(*) from audit_entries')
  expect(Number(count)).toBe(5)

  expect(await verifyLog(ctx)).toMatchObject({ findings: [], entries: 5, knownIsOlder: false })
  // The anchor is the head of the pruned part. An older head cannot be compared, a later one can.
  expect(await verifyLog(ctx, first)).toMatchObject({ findings: [], knownIsOlder: false })
  expect(await verifyLog(ctx, `6:${randomBytes(32).toString('hex')}`)).toMatchObject({
    findings: [{ kind: 'altered', position: 6 }],
  })
  expect(await verifyLog(ctx, `5:${randomBytes(32).toString('hex')}`)).toMatchObject({
    findings: [],
    knownIsOlder: true,
  })
  expect(await verifyLog(ctx, second)).toMatchObject({ findings: [], knownIsOlder: false })

  const feed = await listEvents(ctx.db, { after: 2, limit: 2 })
  expect(feed.map(({ position }) => position)).toEqual([7, 8])
  await prune()
  expect((await listLinks(ctx)).length).toBe(5)
})

test('pruning stops at the first retained or missing entry', async () => {
  const { ctx } = service
  const [{ max } = {}] = await runSql(ctx, 'select max(position) from audit_chain')
  // An old entry that was linked late stays until everything before it is pruned.
  const insertAged = (days: number) =>
    runSql(
      ctx,
      `insert into audit_entries (id, occurred_at, action, actor_kind)
       values ('${newId()}', '${new Date(ctx.now().getTime() - days * DAY).toISOString()}', 'user.password_changed', 'system')`,
    )
  service.advance(40 * DAY)
  for (const days of [35, 1, 35]) {
    await insertAged(days)
    await extendChain(ctx)
  }
  await prune()
  await extendChain(ctx)
  const kept = await listLinks(ctx)
  expect(Number(kept[0]?.position)).toBe(Number(max) + 2)
  expect((await verifyLog(ctx)).findings).toEqual([])

  service.advance(40 * DAY)
  const [, second] = kept
  await tamper(ctx, `delete from audit_entries where id = '${second?.entry_id}'`)
  await prune()
  await extendChain(ctx)
  expect((await verifyLog(ctx)).findings).toEqual([
    expect.objectContaining({ kind: 'missing', entryId: second?.entry_id }),
  ])
  expect(service.logs).toContainEqual(
    expect.objectContaining({ msg: 'an audit entry is missing: nothing after it is pruned' }),
  )
})

test('pruning works in batches, on several nodes at once and during writes', async () => {
  const fresh = await startWithEmptyLog({ config: { auditRetentionDays: 30 } })
  try {
    const { ctx } = fresh
    await runSql(
      ctx,
      `insert into audit_entries (id, occurred_at, action, actor_kind)
       select gen_random_uuid(), now() - interval '31 days', 'user.password_changed', 'system' from generate_series(1, 12000)`,
    )
    await extendChain(ctx)
    await Promise.all([prune(ctx), prune(ctx), recordEntries(ctx, 20)])
    await extendChain(ctx)
    const parts = await runSql(
      ctx,
      "select (details ->> 'count')::int as count from audit_entries where action = 'audit.pruned' order by id",
    )
    expect(parts.map(({ count }) => count).toSorted()).toEqual([2000, 5000, 5000])
    expect(await verifyLog(ctx)).toMatchObject({ findings: [], entries: 23 })
  } finally {
    await fresh.close()
  }
})

test('the head of the audit log is logged daily', async () => {
  await logAuditHead.run(service.ctx, {})
  const { head } = await verifyLog(service.ctx)
  expect(service.logs).toContainEqual(expect.objectContaining({ msg: 'head of the audit log', head, level: 30 }))
})
